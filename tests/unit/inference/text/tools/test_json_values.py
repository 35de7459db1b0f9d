"""JSON that can always be written again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.tools.json_values import decode, encode, type_of

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_what_was_written_is_read_again(value):
    assert decode(encode(value)) == value
    assert json.loads(encode(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "1e999",
        "[1,]",
        "{'a': 1}",
        "1 2",
        "[" * 101 + "]" * 101,
        "[" * 100_000,
        "9" * 5000,
    ],
)
def test_what_could_not_be_written_again_is_refused(text):
    with pytest.raises(ValueError):
        decode(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\ud83c\\udf78"', "\N{COCKTAIL GLASS}"),
        ('"a\\ud83c"', "a\N{REPLACEMENT CHARACTER}"),
        ('{"\\udf78": ["\\udf78"]}', {"\N{REPLACEMENT CHARACTER}": ["\N{REPLACEMENT CHARACTER}"]}),
        ('"line\nbreak\ttab"', "line\nbreak\ttab"),
        (" [1] \n", [1]),
    ],
)
def test_strings_are_made_valid(text, value):
    assert decode(text) == value
    encode(decode(text)).encode()


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_types_have_the_names_of_json_schema(value, name):
    assert type_of(value) == name
