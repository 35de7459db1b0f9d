"""Values that can be written as they were read."""

import json

import pytest

from inference.api.responses.plain_json import MAX_DEPTH, check_plain
from inference.errors import InvalidRequest


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


def test_a_value_within_the_limit_passes():
    check_plain({"a": [1, 2.5, None, True, "x", {"b": []}]})
    check_plain(nested(MAX_DEPTH))


def test_a_value_nested_too_deep_is_refused():
    with pytest.raises(InvalidRequest, match="deeper than 100 levels"):
        check_plain(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_a_number_that_json_cannot_write_is_refused(number):
    with pytest.raises(InvalidRequest, match="finite"):
        check_plain(json.loads(f'{{"metadata": {{"a": [{number}]}}}}'))
