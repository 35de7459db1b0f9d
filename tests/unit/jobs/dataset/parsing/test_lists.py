"""Lists in the forms that models give them."""

import pytest

from jobs.dataset.parsing.lists import parse_list


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('["a, with a comma", "b"]', ["a, with a comma", "b"]),
        ('Here you are:\n```json\n["a", "b"]\n```', ["a", "b"]),
        ('[{"instruction": "a"}, {"question": "b"}]', ["a", "b"]),
        ('["a", "b", "cut off', ["a", "b"]),
        ('"a", "b"', ["a", "b"]),
        ('"a",\n"b",\n"c"', ["a", "b", "c"]),
        ("red, green, blue", ["red", "green", "blue"]),
        ("Write a poem, please", ["Write a poem, please"]),
        ("- a\n- b, with a comma\n- c", ["a", "b, with a comma", "c"]),
        ("1. a\n2) b\n(3) c", ["a", "b", "c"]),
        ("Sure, here are some:\n\n* a\n* b\n\nEnjoy!", ["a", "b"]),
        ("Some tasks:\na\nb", ["a", "b"]),
        ('1. "a"\n2. "b"', ["a", "b"]),
        ("```json\na\nb\n```", ["a", "b"]),
        ("- a\n- A\n- b", ["a", "b"]),
        ("[]", []),
        ("", []),
        (" \n ", []),
    ],
)
def test_a_list_is_found_in_an_answer(text, items):
    assert parse_list(text) == items


def test_an_array_comes_before_commas_and_those_before_bullets():
    assert parse_list('- x\n["a", "b"]') == ["a", "b"]
    assert parse_list("a, b, c") == ["a", "b", "c"]
