"""A sequence: what it holds, and when it ends."""

import pytest

from inference.engine.sequence import Sequence
from inference.events import FinishReason
from inference.request import SamplingParams


def make_sequence(**facts):
    defaults = {"id": "a", "prompt": [1, 2, 3, 4], "max_tokens": 3, "stop_token_ids": {0}}
    return Sequence(sampling=SamplingParams(), **{**defaults, **facts})


def test_the_last_prompt_token_is_left_to_the_first_decode_step():
    assert make_sequence().num_prefill_left == 3
    assert make_sequence(prompt=[1]).num_prefill_left == 0
    assert make_sequence(num_computed=2).num_prefill_left == 1


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ([], None),
        ([5], None),
        ([5, 0], FinishReason.STOP),
        ([5, 6, 7], FinishReason.LENGTH),
        ([5, 6, 0], FinishReason.STOP),  # both at once
        ([0, 5], None),  # only the newest token decides
    ],
)
def test_the_newest_token_decides_whether_it_ended(output, reason):
    assert make_sequence(output=output).finish_reason() is reason


@pytest.mark.parametrize(
    ("computed", "launched", "output", "tokens"),
    [
        (0, 0, [], []),
        (2, 0, [], [1, 2]),  # in the middle of its prompt
        (3, 0, [], [1, 2, 3]),
        (3, 1, [], [1, 2, 3, 4]),  # the first decode is in flight
        (3, 2, [5], [1, 2, 3, 4, 5]),
        (3, 3, [5, 6, 7], [1, 2, 3, 4, 5, 6]),  # the last token was never an input
    ],
)
def test_the_cache_holds_the_inputs_of_all_launched_steps(computed, launched, output, tokens):
    sequence = make_sequence(num_computed=computed, num_launched=launched, output=output)

    assert sequence.tokens_in_cache() == tokens
    assert sequence.num_in_cache == len(tokens)


def test_two_sequences_alike_are_still_two():
    assert make_sequence() != make_sequence()
    assert len({make_sequence(), make_sequence()}) == 2
