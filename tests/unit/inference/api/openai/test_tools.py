"""Tools as a chat request offers them."""

import pytest

from inference.api.openai.tools import offered_tools
from inference.errors import InvalidRequest

TOOL = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "$defs": {}}, "strict": False},
    "cache_control": {"type": "ephemeral"},
}
CHOSEN = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize("body", [{}, {"tools": None}, {"tools": []}])
def test_no_tools_are_no_tools_however_they_are_spelled(body):
    assert offered_tools(body) == ()


@pytest.mark.parametrize("choice", [None, "auto", "required", CHOSEN])
def test_tools_pass_as_they_were_sent(choice):
    assert offered_tools({"tools": [TOOL], "tool_choice": choice}) == (TOOL,)


def test_the_choice_none_drops_the_tools():
    assert offered_tools({"tools": [TOOL], "tool_choice": "none"}) == ()


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
        offered_tools({"tools": tools, "tool_choice": choice})

    assert raised.value.message == "tools must be a list of function objects, each with a name"
    assert raised.value.param == "tools"


@pytest.mark.parametrize(
    "choice", ["f", "", "any", 1, True, [], {}, {"type": "auto"}, {"type": "function"}]
)
def test_a_choice_that_is_none_is_refused(choice):
    with pytest.raises(InvalidRequest) as raised:
        offered_tools({"tools": [TOOL], "tool_choice": choice})

    assert raised.value.message == (
        "tool_choice must be one of 'none', 'auto', 'required' or a function object"
    )
    assert raised.value.param == "tool_choice"
