"""Rates and pauses are counted over the part of a run that they are about."""

import pytest

from benchmarks.rates import shared_rate, worst_gap


def test_one_stream_is_counted_from_its_second_event():
    times = [10.0, 11.0, 11.5, 12.0]  # the first gap is not like the others

    assert shared_rate([times], [1.0]) == 2.0


def test_only_the_time_in_which_all_streams_run_is_counted():
    early = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    late = [2.5, 3.0, 4.0, 5.0, 6.0, 7.0]

    # From 3.0, where the late one has had two, to 5.0, where the early one ends.
    assert shared_rate([early, late], [1.0, 1.0]) == 2.0


def test_an_event_counts_as_many_tokens_as_the_server_says():
    assert shared_rate([[0.0, 1.0, 2.0, 3.0]], [2.5]) == 2.5


def test_streams_that_never_run_together_have_no_rate():
    with pytest.raises(ValueError, match="ask for more tokens"):
        shared_rate([[0.0, 1.0, 2.0], [5.0, 6.0, 7.0]], [1.0, 1.0])


@pytest.mark.parametrize("times", [[], [1.0], [1.0, 2.0]])
def test_a_stream_of_hardly_any_events_has_no_rate(times):
    with pytest.raises(ValueError, match="fewer than three events"):
        shared_rate([times, [0.0, 1.0, 2.0, 3.0]], [1.0, 1.0])


STEADY = [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_pause_is_measured_in_the_median_pause_before():
    assert worst_gap([0.0, 2.0, 4.0, 9.0, 11.0, 17.0, 19.0], begin=11.5, end=18.0) == 3.0


def test_a_pause_that_spans_the_whole_time_is_found():
    assert worst_gap([*STEADY, 20.0], begin=4.5, end=19.5) == 16.0


def test_a_pause_that_begins_before_or_ends_after_the_time_counts():
    assert worst_gap([*STEADY, 9.0, 10.0], begin=8.5, end=9.5) == 5.0
    assert worst_gap([*STEADY, 5.0, 12.0], begin=4.5, end=5.5) == 7.0


def test_a_pause_before_or_after_the_time_does_not_count():
    assert worst_gap([0.0, 1.0, 8.0, 9.0, 10.0, 11.0, 30.0], begin=9.5, end=10.5) == 1.0


def test_a_stream_that_ended_too_early_says_nothing():
    with pytest.raises(ValueError, match="ended before the prompt was read"):
        worst_gap(STEADY, begin=3.5, end=4.5)


def test_a_stream_without_steps_before_has_no_ordinary_step():
    with pytest.raises(ValueError, match="too few events"):
        worst_gap(STEADY, begin=2.5, end=3.5)
