"""Which JSON is a call."""

import pytest

from inference.text.tools.envelope import call_of, calls_in
from inference.text.tools.repair import ENVELOPE_STEPS


@pytest.fixture
def tools(schemas):
    return schemas(w={"city": {"type": "string"}}, rename={"name": {"type": "string"}})


@pytest.mark.parametrize(
    "value",
    [
        {"name": "w", "arguments": {"city": "Oslo"}},
        {"name": "w", "parameters": {"city": "Oslo"}},
        {"id": "1", "type": "function", "name": "w", "arguments": {"city": "Oslo"}},
        {"function": {"name": "w", "arguments": {"city": "Oslo"}}},
        {"function": {"name": "w", "arguments": '{"city": "Oslo"}'}},
        {"function": "w", "arguments": {"city": "Oslo"}},
        {"arguments": {"name": "w", "city": "Oslo"}},
        {"arguments": {"name": "w", "arguments": {"city": "Oslo"}}},
        {"name": None, "arguments": {"name": "w", "city": "Oslo"}},
    ],
)
def test_shapes_that_name_a_tool_and_arguments_are_calls(tools, value):
    call = call_of(value, tools)

    assert (call.name, call.arguments) == ("w", {"city": "Oslo"})


@pytest.mark.parametrize("arguments", [{}, None, "", " ", "{}"])
def test_no_arguments_are_an_empty_object(tools, arguments):
    call = call_of({"name": "w", "arguments": arguments}, tools)

    assert call.arguments_json == "{}"


def test_a_name_within_the_arguments_stays_there_if_the_envelope_has_one(tools):
    call = call_of({"name": "rename", "arguments": {"name": "w"}}, tools)

    assert (call.name, call.arguments) == ("rename", {"name": "w"})


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "w",
        {},
        {"name": "unknown"},
        {"name": ["w"], "arguments": {}},
        {"arguments": {"city": "Oslo"}},
        {"name": "w", "city": "Oslo"},
        {"name": "w", "arguments": 5},
        {"name": "w", "arguments": "Oslo"},
        {"name": "w", "arguments": "[1]"},
        {"function": {"name": "w", "description": "Weather.", "parameters": {"type": "object"}}},
    ],
)
def test_other_json_is_no_call(tools, value):
    assert call_of(value, tools) is None


def test_a_list_is_all_calls_or_none(tools):
    known, unknown = '{"name": "w", "arguments": {}}', '{"name": "x", "arguments": {}}'

    assert len(calls_in(f"[{known}, {known}]", tools, ENVELOPE_STEPS)) == 2
    assert calls_in(f"[{known}, {unknown}]", tools, ENVELOPE_STEPS) == []
