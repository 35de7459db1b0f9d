"""The block of thoughts before an answer: there once, whatever the model wrote."""

import pytest

from jobs.dataset.parsing.thoughts import with_thoughts


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("<think>a</think>b", "<think>\na\n</think>\n\nb"),
        ("a</think>b", "<think>\na\n</think>\n\nb"),  # the template opened the block
        ("a\nAnswer: b", "<think>\na\n</think>\n\nb"),
        ("a\n\n**Final answer:** b\n\nc", "<think>\na\n</think>\n\nb\n\nc"),
        ("a\n\nb\n\nc", "<think>\na\n\nb\n</think>\n\nc"),
        ("only an answer", "<think>\n\n</think>\n\nonly an answer"),
        ("Answer: b", "<think>\n\n</think>\n\nAnswer: b"),
        ("<think>never closed\n\nb", "<think>\nnever closed\n</think>\n\nb"),
    ],
)
def test_an_answer_gets_one_block(text, whole):
    assert with_thoughts(text) == whole


def test_reasoning_that_the_server_told_apart_is_the_block():
    assert with_thoughts("b\n\nc", "a") == "<think>\na\n</think>\n\nb\n\nc"
    assert with_thoughts("x</think>b", "a") == "<think>\na\n</think>\n\nb"
