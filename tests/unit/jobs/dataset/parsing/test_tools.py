"""Tools and calls in the forms in which they come."""

import json

import pytest

from jobs.dataset.errors import InvalidInput
from jobs.dataset.parsing.tools import Call, find_call, read_tools

BARE = {"name": "f", "description": "d", "parameters": {"type": "object"}}
WHOLE = {"type": "function", "function": BARE}


@pytest.mark.parametrize("value", [[BARE], BARE, [WHOLE], WHOLE])
def test_tools_are_read_with_and_without_their_envelope(value):
    assert read_tools(json.dumps(value)) == [WHOLE]


def test_a_tool_without_parameters_takes_none():
    [tool] = read_tools('[{"name": "f"}]')

    assert tool["function"]["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not json", "tools_json is not JSON"),
        ("[NaN]", "tools_json is not JSON"),
        ("[" * 100_000, "tools_json is not JSON"),
        ("[" * 500 + "]" * 500, "tools_json is not JSON .nested too deep"),
        ('[{"name": "f", "parameters": {"maximum": 1e999}}]', "1e999 is not JSON"),
        ("[]", "has 0 tools"),
        ("[1]", "tool 1 is no object with a name"),
        ('[{"name": "f"}, {"name": ""}]', "tool 2 is no object with a name"),
        ('[{"function": 5}]', "tool 1 is no object"),
        ('[{"name": "f", "parameters": []}]', "parameters of f are no JSON Schema"),
    ],
)
def test_bad_tools_are_told(text, words):
    with pytest.raises(InvalidInput, match=words):
        read_tools(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "f", "arguments": {"a": 1}}',
        'Sure!\n```json\n{"name": "f", "parameters": {"a": 1}}\n```',
        '{"name": "f", "arguments": "{\\"a\\": 1}"}',
        '{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}',
        '{"tool_call": {"name": "f", "args": {"a": 1}}}',
        '{"name": "g", "arguments": {}} {"name": "f", "arguments": {"a": 1}}',
        'broken { {"name": "f", "arguments": {"a": 1}}',
    ],
)
def test_a_call_is_found_in_an_answer(text):
    assert find_call(text, ["f"]) == Call("f", {"a": 1})


@pytest.mark.parametrize(
    "text",
    ["", "f(1)", '{"name": "g"}', '{"name": "f", "arguments": [1]}', '{"name": ["f"]}', "{}"],
)
def test_what_calls_no_known_tool_is_no_call(text):
    assert find_call(text, ["f"]) is None


@pytest.mark.parametrize("value", ["1e999", "-1e999", "[" * 500 + "]" * 500])
def test_a_call_that_cannot_be_written_again_is_none(value):
    assert find_call(f'{{"name": "f", "arguments": {{"a": {value}}}}}', ["f"]) is None
