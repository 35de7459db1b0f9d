"""Questions and answers, as people and as models write them."""

import pytest

from jobs.dataset.parsing.qa_blocks import split_blocks


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Q: a\nA: b", [("a", "b")]),
        ("Q: a\r\nA: b\r\n\r\nQ: c\r\nA: d", [("a", "b"), ("c", "d")]),
        ("q: a\n  more\na: b\nstill b", [("a\n  more", "b\nstill b")]),
        ("Question 1: a\nAnswer 1: b", [("a", "b")]),
        ("**Q:** a\n**A:** b", [("a", "b")]),
        ("1. Q: a\n   A: b", [("a", "b")]),
        ("- Q: a\n- A: b\n- Q: c\n- A: d", [("a", "b"), ("c", "d")]),
        ("\ufeffQ: a\nA: what: a colon", [("a", "what: a colon")]),
        ("Q: a\n \t \nA: b", []),  # a blank line ends the block
        ("Q: a", []),
        ("A: b\nQ: a", []),
        ("Q:\nA: b", []),
        ("FAQ: a\nAA: b", []),
        ("", []),
    ],
)
def test_blocks_are_read_as_pairs(text, pairs):
    assert split_blocks(text)[0] == pairs


def test_blocks_without_a_pair_are_counted():
    assert split_blocks("Q: a\nA: b\n\njust text\n\n\n\nQ: alone") == ([("a", "b")], 2)
