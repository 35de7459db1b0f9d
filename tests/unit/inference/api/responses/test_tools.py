"""Tools as their caller and as the model know them."""

import pytest

from inference.api.responses.tools import ToolBox, ToolKind, ToolName
from inference.errors import InvalidRequest

PARAMETERS = {"type": "object", "properties": {"cmd": {"type": "string"}}}
SHELL = {
    "type": "function",
    "name": "shell",
    "description": "run",
    "strict": False,
    "parameters": PARAMETERS,
}
PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "edit",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"},
}


def space(name, *tools):
    return {"type": "namespace", "name": name, "description": "d", "tools": list(tools)}


def names(box):
    return list(box.functions())


def test_a_flat_function_is_nested_as_templates_read_it():
    assert ToolBox([SHELL]).functions() == {
        "shell": {
            "type": "function",
            "function": {"name": "shell", "description": "run", "parameters": PARAMETERS},
        }
    }


def test_a_strict_function_stays_strict():
    functions = ToolBox([{**SHELL, "strict": True}]).functions()

    assert functions["shell"]["function"]["strict"] is True


@pytest.mark.parametrize("tool", [{"parameters": None}, {}])
def test_a_function_without_parameters_has_none(tool):
    functions = ToolBox([{"type": "function", "name": "f", **tool}]).functions()

    assert functions["f"]["function"] == {
        "name": "f",
        "parameters": {"type": "object", "properties": {}},
    }


def test_whatever_is_neither_function_nor_custom_is_left_out():
    others = [
        {"type": "web_search"},
        {"type": "mcp", "server_label": "s"},
        {"type": "local_shell"},
        {"type": "from_the_future"},
        {"type": ["function"]},
        {},
    ]

    assert names(ToolBox([*others, SHELL])) == ["shell"]


def test_tools_of_a_namespace_are_flattened_and_their_names_come_back():
    box = ToolBox([space("multi_agent_v1", {**SHELL, "name": "spawn"}, PATCH)])

    assert names(box) == ["multi_agent_v1__spawn", "multi_agent_v1__apply_patch"]
    assert box.name("multi_agent_v1__spawn") == ToolName(
        ToolKind.FUNCTION, "spawn", "multi_agent_v1"
    )
    assert box.name("multi_agent_v1__apply_patch") == ToolName(
        ToolKind.CUSTOM, "apply_patch", "multi_agent_v1"
    )


def test_a_namespace_that_ends_in_an_underscore_needs_no_other():
    assert names(ToolBox([space("mcp__x__", SHELL)])) == ["mcp__x__shell"]


def test_names_that_would_clash_are_kept_apart():
    box = ToolBox(
        [
            {**SHELL, "name": "a__shell"},
            space("a", SHELL),
            {**PATCH, "name": "a__shell"},
        ]
    )

    assert len(names(box)) == 3
    assert [box.name(name) for name in names(box)] == [
        ToolName(ToolKind.FUNCTION, "a__shell"),
        ToolName(ToolKind.FUNCTION, "shell", "a"),
        ToolName(ToolKind.CUSTOM, "a__shell"),
    ]
    assert all(box.flat_name(box.name(name)) == name for name in names(box))


def test_a_tool_told_again_is_told_anew_in_its_old_place():
    box = ToolBox([SHELL, {**SHELL, "name": "other"}, {**SHELL, "description": "run it"}])

    assert names(box) == ["shell", "other"]
    assert box.functions()["shell"]["function"]["description"] == "run it"


def test_a_custom_tool_is_a_function_of_one_text_that_tells_its_grammar():
    function = ToolBox([PATCH]).functions()["apply_patch"]["function"]

    assert (function["name"], function["description"]) == ("apply_patch", "edit")
    assert function["parameters"]["required"] == ["input"]
    told = function["parameters"]["properties"]["input"]
    assert told["type"] == "string"
    assert "lark notation:\nstart: /x/" in told["description"]


@pytest.mark.parametrize("text_format", [None, {"type": "text"}, "odd"])
def test_a_custom_tool_without_a_grammar_tells_none(text_format):
    tool = {"type": "custom", "name": "say", "format": text_format}

    properties = ToolBox([tool]).functions()["say"]["function"]["parameters"]["properties"]
    assert "grammar" not in properties["input"]["description"]


def test_a_tool_that_is_not_offered_any_more_keeps_its_name():
    box = ToolBox()

    assert box.flat_name(ToolName(ToolKind.FUNCTION, "spawn", "agents")) == "agents__spawn"
    assert box.name("made_up") == ToolName(ToolKind.FUNCTION, "made_up")


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("shell", "tools[0] must be an object with a type"),
        ({"type": "function"}, "tools[0].name must be a string that is not empty"),
        ({"type": "custom", "name": ""}, "tools[0].name must be a string that is not empty"),
        ({**SHELL, "parameters": "x"}, "tools[0].parameters must be an object"),
        ({**SHELL, "description": 5}, "tools[0].description must be a string"),
        ({"type": "namespace", "name": "a"}, "tools[0].tools must be a list"),
        (space("a", "x"), "tools[0].tools[0] must be an object with a type"),
        (space("a", {"type": "function"}), "tools[0].tools[0].name must be a string"),
        (space("", SHELL), "tools[0].name must be a string that is not empty"),
        (space(""), "tools[0].name must be a string that is not empty"),
    ],
)
def test_a_malformed_tool_is_named(tool, message):
    with pytest.raises(InvalidRequest) as raised:
        ToolBox([tool])

    assert message in raised.value.message
    assert raised.value.param == "tools"
