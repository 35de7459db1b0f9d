import pytest

from jobs.finetune.config import RankScaling
from jobs.finetune.training.ranks import choose_ranks

BY_BITS, CONSTANT = RankScaling.BY_BITS, RankScaling.CONSTANT


@pytest.mark.parametrize("bits", [4, 8, None])
def test_layers_of_one_width_have_the_rank_asked_for(bits: int | None) -> None:
    assert choose_ranks({"a": bits, "b": bits}, 8, BY_BITS) == {"a": 8, "b": 8}


def test_ranks_are_in_proportion_to_bits() -> None:
    bits = {"a": 4, "b": 4, "c": 8, "d": 3, "e": 6}

    assert choose_ranks(bits, 8, BY_BITS) == {"a": 8, "b": 8, "c": 16, "d": 6, "e": 12}


def test_a_part_of_a_rank_counts_as_a_whole() -> None:
    assert choose_ranks({"a": 4, "b": 4, "c": 3}, 2, BY_BITS)["c"] == 2


def test_no_rank_is_more_than_twice_what_was_asked_for() -> None:
    assert choose_ranks({"a": 2, "b": 2, "c": 8}, 8, BY_BITS)["c"] == 16


def test_of_two_widths_as_frequent_the_smaller_is_usual() -> None:
    assert choose_ranks({"a": 8, "b": 4}, 8, BY_BITS) == {"a": 16, "b": 8}


def test_layers_that_are_not_quantized_have_the_rank_asked_for() -> None:
    assert choose_ranks({"a": 4, "b": None}, 8, BY_BITS) == {"a": 8, "b": 8}


def test_constant_ranks_do_not_look_at_bits() -> None:
    assert choose_ranks({"a": 4, "b": 4, "c": 8}, 8, CONSTANT) == {"a": 8, "b": 8, "c": 8}
