"""Stop strings, however a protocol calls them."""

import pytest

from inference.api.stop import MAX_STOPS, stop_strings
from inference.errors import InvalidRequest


@pytest.mark.parametrize(
    ("value", "strings"),
    [
        (None, ()),
        ([], ()),
        ("\n\n", ("\n\n",)),
        (["a", "b"], ("a", "b")),
        (["", "a"], ("a",)),
        (["a"] * MAX_STOPS, ("a",) * MAX_STOPS),
    ],
)
def test_one_string_several_or_none(value, strings):
    assert stop_strings(value, "stop") == strings


@pytest.mark.parametrize("value", [1, {}, True, ["a", 1], [None], [["a"]]])
def test_what_is_no_string_is_refused(value):
    with pytest.raises(InvalidRequest) as raised:
        stop_strings(value, "stop_sequences")

    assert raised.value.message == "stop_sequences must be a string or a list of strings"
    assert raised.value.param == "stop_sequences"


def test_too_many_are_refused_with_the_limit():
    with pytest.raises(InvalidRequest) as raised:
        stop_strings(["a"] * (MAX_STOPS + 1), "stop_sequences")

    assert raised.value.message == "stop_sequences has 17 strings, the limit is 16; send fewer"
