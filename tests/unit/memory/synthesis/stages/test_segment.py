"""Answers about the topics of a conversation, right and almost right."""

import pytest

from memory.synthesis.stages.segment import Range, parse


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("1-2: the first\n3-6: the second", [(1, 2), (3, 6)]),
        ("- [1-2]: the first\n* 3 to 6. the second", [(1, 2), (3, 6)]),
        ("2-3: a\n5-6: b", [(1, 4), (5, 6)]),  # gaps go to the range before
        ("1-4: a\n3-6: b", [(1, 2), (3, 6)]),  # overlaps to the one behind
        ("3-6: b\n1-2: a", [(1, 2), (3, 6)]),
        ("1-99: all", [(1, 6)]),
        ("4: one", [(1, 6)]),
        ("1-2: a\n1-6: b", [(1, 6)]),
        ("0-3: a\n4-6: b", [(1, 3), (4, 6)]),
    ],
)
def test_ranges_cover_all_messages_without_overlap(answer, expected):
    assert [(each.start, each.end) for each in parse(answer, 6)] == expected


@pytest.mark.parametrize("answer", ["", "They talk about maps.", "9-12: none of these", "2-1: x"])
def test_an_answer_that_tells_no_range_is_none(answer):
    assert parse(answer, 6) == []


def test_a_label_has_ten_words_at_most_and_no_markup():
    [found] = parse("1-6: **[[A]]** `b` c d e f g h i j k l m", 6)

    assert found == Range(1, 6, "A b c d e f g h i j")
