"""Paragraphs, lines and passages."""

from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.dataset.parsing.text import lines, names, paragraphs, passages

TEXTS = st.text(st.sampled_from("ab \n\r\t"), max_size=300)


def test_blank_lines_part_paragraphs():
    assert paragraphs("a\nb\r\n\r\n c \n \t\n\n\nd\n") == ["a\nb", "c", "d"]
    assert lines(" a \n\n b\r\nc") == ["a", "b", "c"]
    assert names("a, b c,,\nd") == ["a", "b c", "d"]


def test_passages_are_whole_paragraphs_and_long_enough():
    text = "aaaa\n\nbb\n\ncccccc\n\nd"

    assert passages(text, 5) == ["aaaa\n\nbb", "cccccc\n\nd"]
    assert passages(text, 100) == []


@settings(max_examples=40, deadline=None, derandomize=True)
@given(TEXTS, st.integers(1, 50))
def test_passages_lose_nothing(text, least):
    found = passages(text, least)

    assert all(len(passage) >= least for passage in found)
    if found:
        assert [part for passage in found for part in paragraphs(passage)] == paragraphs(text)
