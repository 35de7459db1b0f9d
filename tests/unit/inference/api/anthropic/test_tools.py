"""The tools of a request, and whether one must be called."""

import pytest

from inference.api.anthropic.tools import offered_tools, tool_choice
from inference.errors import InvalidRequest
from inference.request import CallPolicy, ToolChoice

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "w", "description": "weather", "input_schema": SCHEMA}
WEB_SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 8}
OFFERED = {
    "type": "function",
    "function": {"name": "w", "description": "weather", "parameters": SCHEMA},
}


def refusal(read, **body):
    with pytest.raises(InvalidRequest) as raised:
        read(body)
    return raised.value.message, raised.value.param


@pytest.mark.parametrize("body", [{}, {"tools": None}, {"tools": []}])
def test_no_tools_is_none_however_it_is_said(body):
    assert offered_tools(body) == ()


def test_a_tool_is_a_function_for_the_template():
    assert offered_tools({"tools": [WEATHER]}) == (OFFERED,)


def test_a_tool_needs_no_description():
    [tool] = offered_tools({"tools": [{"name": "w", "input_schema": SCHEMA}]})

    assert tool["function"] == {"name": "w", "parameters": SCHEMA}


def test_what_does_not_describe_a_tool_is_left_out_of_the_prompt():
    tool = {
        **WEATHER,
        "type": "custom",
        "cache_control": {"type": "ephemeral"},
        "eager_input_streaming": True,
    }

    assert offered_tools({"tools": [tool]}) == (OFFERED,)


@pytest.mark.parametrize(
    "tool",
    [WEB_SEARCH, {"input_schema": SCHEMA}, {"name": "w"}, {"name": "w", "input_schema": None}],
)
def test_what_we_could_not_run_is_dropped_silently(tool):
    assert offered_tools({"tools": [tool, WEATHER]}) == (OFFERED,)


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ("w", "tools must be a list of objects"),
        (["w"], "tools must be a list of objects"),
        ([{**WEATHER, "name": 7}], "tools[0].name must be a string that is not empty"),
        ([WEATHER, {**WEATHER, "name": ""}], "tools[1].name must be a string that is not empty"),
        ([{**WEATHER, "input_schema": "{}"}], "tools[0].input_schema must be an object"),
        ([{**WEATHER, "description": 7}], "tools[0].description must be a string"),
    ],
)
def test_what_is_no_tool_is_refused(tools, message):
    assert refusal(offered_tools, tools=tools) == (message, "tools")


def test_a_caller_that_forbids_calls_offers_no_tools():
    body = {"tools": [WEATHER], "tool_choice": {"type": "none"}}

    assert offered_tools(body) == ()
    assert tool_choice(body) == ToolChoice()


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (None, ToolChoice()),
        ({}, ToolChoice()),
        ({"type": "auto", "disable_parallel_tool_use": True}, ToolChoice()),
        ({"type": "any"}, ToolChoice(CallPolicy.REQUIRED)),
        ({"type": "tool", "name": "w"}, ToolChoice(CallPolicy.REQUIRED, "w")),
        # Of the tools that were dropped, none can be required.
        ({"type": "tool", "name": "web_search"}, ToolChoice()),
    ],
)
def test_the_choice(choice, expected):
    assert tool_choice({"tools": [WEB_SEARCH, WEATHER], "tool_choice": choice}) == expected


def test_nothing_is_required_where_all_tools_were_dropped():
    assert tool_choice({"tools": [WEB_SEARCH], "tool_choice": {"type": "any"}}) == ToolChoice()


@pytest.mark.parametrize("tools", [None, []])
@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "w"}])
def test_no_call_can_be_required_of_no_tools(tools, choice):
    assert refusal(tool_choice, tools=tools, tool_choice=choice) == (
        f"tool_choice.type is '{choice['type']}', but there are no tools",
        "tool_choice",
    )


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("auto", "tool_choice must be an object"),
        (
            {"type": "required"},
            "tool_choice.type is 'required', expected one of 'auto', 'any', 'tool', 'none'",
        ),
        (
            {"name": "w"},
            "tool_choice.type is None, expected one of 'auto', 'any', 'tool', 'none'",
        ),
        ({"type": "tool", "name": "x"}, "tool_choice.name is 'x', which is not among the tools"),
        ({"type": "tool"}, "tool_choice.name is None, which is not among the tools"),
        ({"type": "tool", "name": []}, "tool_choice.name is [], which is not among the tools"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    assert refusal(tool_choice, tools=[WEATHER], tool_choice=choice) == (message, "tool_choice")
