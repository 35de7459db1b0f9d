"""Which tools a request allows or demands."""

import pytest

from inference.api.responses.tool_choice import choose_tools
from inference.api.responses.tools import ToolBox
from inference.errors import InvalidRequest
from inference.request import CallPolicy, ToolChoice

BOX = ToolBox(
    [
        {"type": "function", "name": "look"},
        {"type": "custom", "name": "patch"},
        {
            "type": "namespace",
            "name": "agents",
            "tools": [{"type": "function", "name": "spawn"}],
        },
    ]
)
ALL = ["look", "patch", "agents__spawn"]
AUTO, REQUIRED = ToolChoice(), ToolChoice(CallPolicy.REQUIRED)


def chosen(choice, box=BOX):
    tools, policy = choose_tools(choice, box)
    return [tool["function"]["name"] for tool in tools], policy


@pytest.mark.parametrize(
    ("choice", "names", "policy"),
    [
        (None, ALL, AUTO),
        ("auto", ALL, AUTO),
        ("none", [], AUTO),
        ("required", ALL, REQUIRED),
        ({"type": "web_search"}, ALL, AUTO),
    ],
)
def test_a_choice_in_a_word(choice, names, policy):
    assert chosen(choice) == (names, policy)


@pytest.mark.parametrize(
    ("choice", "flat_name"),
    [
        ({"type": "function", "name": "look"}, "look"),
        ({"type": "custom", "name": "patch"}, "patch"),
        ({"type": "function", "name": "spawn", "namespace": "agents"}, "agents__spawn"),
    ],
)
def test_one_tool_can_be_demanded(choice, flat_name):
    assert chosen(choice) == (ALL, ToolChoice(CallPolicy.REQUIRED, flat_name))


@pytest.mark.parametrize(("mode", "policy"), [("auto", AUTO), ("required", REQUIRED)])
def test_some_tools_can_be_allowed(mode, policy):
    allowed = [
        {"type": "custom", "name": "patch"},
        {"type": "mcp", "server_label": "s"},
        {"type": "function", "name": "look"},
    ]

    choice = {"type": "allowed_tools", "mode": mode, "tools": allowed}

    assert chosen(choice) == (["look", "patch"], policy)


@pytest.mark.parametrize(
    "choice",
    ["required", {"type": "allowed_tools", "mode": "required", "tools": [{"type": "mcp"}]}],
)
def test_a_demand_that_only_a_tool_left_out_could_meet_is_none(choice):
    assert chosen(choice, ToolBox([{"type": "web_search"}])) == ([], AUTO)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("any", "tool_choice must be one of 'none', 'auto', 'required' or an object"),
        (5, "tool_choice must be one of"),
        ({}, "tool_choice.type must be a string"),
        ({"type": "function"}, "tool_choice must have a name"),
        ({"type": "function", "name": "look", "namespace": 5}, "tool_choice must have a name"),
        (
            {"type": "function", "name": "patch"},
            "tool_choice names 'patch', which is not among the tools",
        ),
        ({"type": "allowed_tools", "mode": "auto"}, "tool_choice.tools must be a list"),
        (
            {"type": "allowed_tools", "mode": "no", "tools": []},
            "tool_choice.mode must be one of 'auto', 'required'",
        ),
        (
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "custom", "name": "x"}]},
            "tool_choice.tools[0] names 'x'",
        ),
    ],
)
def test_a_choice_that_means_nothing_is_refused(choice, message):
    with pytest.raises(InvalidRequest) as raised:
        choose_tools(choice, BOX)

    assert message in raised.value.message
    assert raised.value.param == "tool_choice"
