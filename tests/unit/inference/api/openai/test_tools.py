"""Tools as a chat request offers them."""

import pytest

from inference.api.openai.tools import read_tools
from inference.errors import InvalidRequest
from inference.request import CallPolicy, ToolChoice

TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "$defs": {}}, "strict": False},
    "cache_control": {"type": "ephemeral"},
}
CHOSEN = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize("body", [{}, {"tools": None}, {"tools": []}])
def test_no_tools_are_no_tools_however_they_are_spelled(body):
    assert read_tools(body) == ((), ToolChoice())


@pytest.mark.parametrize("choice", [None, "auto", "required", CHOSEN])
def test_tools_pass_as_they_were_sent(choice):
    tools, _ = read_tools({"tools": [TOOL], "tool_choice": choice})

    assert tools == (TOOL,)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (None, ToolChoice()),
        ("auto", ToolChoice()),
        ("required", ToolChoice(CallPolicy.REQUIRED)),
        ("any", ToolChoice(CallPolicy.REQUIRED)),
        (CHOSEN, ToolChoice(CallPolicy.REQUIRED, "f")),
    ],
)
def test_a_choice_says_whether_and_what_to_call(choice, expected):
    assert read_tools({"tools": [TOOL], "tool_choice": choice})[1] == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"tool_choice": "required"}, "tool_choice is 'required', but there are no tools"),
        (
            {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "g"}}},
            "tool_choice names 'g', which is not in tools",
        ),
    ],
)
def test_a_choice_that_no_tool_can_meet_is_refused(body, message):
    with pytest.raises(InvalidRequest) as raised:
        read_tools(body)

    assert (raised.value.message, raised.value.param) == (message, "tool_choice")


def test_the_choice_none_drops_the_tools():
    assert read_tools({"tools": [TOOL], "tool_choice": "none"}) == ((), ToolChoice())


@pytest.mark.parametrize(
    "tools",
    [
        "f",
        0,
        False,
        {},
        TOOL,
        ["f"],
        [None],
        [{}],
        [TOOL, {"type": "web_search"}],
        [{"type": "function"}],
        [{"type": "function", "function": "f"}],
        [{"type": "function", "function": {"name": 1}}],
    ],
)
@pytest.mark.parametrize("choice", ["auto", "none"])
def test_what_is_no_function_is_no_tool(tools, choice):
    with pytest.raises(InvalidRequest) as raised:
        read_tools({"tools": tools, "tool_choice": choice})

    assert raised.value.message == "tools must be a list of function objects, each with a name"
    assert raised.value.param == "tools"


@pytest.mark.parametrize(
    "choice", ["f", "", "ANY", 1, True, [], {}, {"type": "auto"}, {"type": "function"}]
)
def test_a_choice_that_is_none_is_refused(choice):
    with pytest.raises(InvalidRequest) as raised:
        read_tools({"tools": [TOOL], "tool_choice": choice})

    assert raised.value.message == (
        "tool_choice must be one of 'none', 'auto', 'required' or a function object"
    )
    assert raised.value.param == "tool_choice"
