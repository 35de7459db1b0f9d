"""Types of arguments, from schemas of every shape, the absurd ones too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.tools.schema import ToolSchemas


def tools_with(schema, **extra):
    properties = {"a": schema, "other": {"type": "string"}}
    parameters = {"type": "object", "properties": properties, **extra}
    return ToolSchemas([{"type": "function", "function": {"name": "f", "parameters": parameters}}])


DEFS = {
    "Text": {"type": "string"},
    "Number": {"type": "number"},
    "Loop": {"$ref": "#/$defs/Loop"},
    "Nested": {"anyOf": [{"$ref": "#/$defs/Nested"}, {"type": "integer"}]},
    "a/b c": {"type": "integer"},
}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": ["string", "null"]},
        {"type": ["null", "string"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"type": "string"}]},
        {"enum": ["1", "2"]},
        {"enum": ["1", None]},
        {"const": "1"},
        {"$ref": "#/$defs/Text"},
        {"allOf": [{"$ref": "#/$defs/Text"}]},
        {"anyOf": [{"$ref": "#/$defs/Text"}, {"type": "null"}]},
        {"allOf": [{"type": ["string", "integer"]}, {"type": "string"}, {}]},
        {"$ref": "#/properties/other"},
    ],
)
@pytest.mark.parametrize("text", ["5", "null", "true", '{"a": 1}', '"quoted"', " x "])
def test_where_only_text_is_allowed_text_stays_text(schema, text):
    tools = tools_with(schema, **{"$defs": DEFS})

    assert tools.read_text("f", "a", text) == text


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer"},
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"enum": [5, 6]},
        {"const": 5},
        {"$ref": "#/$defs/Number"},
        {"$ref": "#/$defs/a~1b%20c"},
        {"$ref": "#/$defs/Nested"},
        {"type": ["string", "integer"]},
        {"type": ["string", "number"]},
        {},
        True,
        None,
        {"type": "unheard-of"},
        {"type": []},
        {"anyOf": []},
        {"$ref": "#/$defs/Loop"},
        {"$ref": "#/nowhere"},
        {"$ref": 5},
    ],
)
def test_where_more_is_allowed_or_nothing_is_said_json_is_decoded(schema):
    assert tools_with(schema, **{"$defs": DEFS}).read_text("f", "a", " 5\n") == 5


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "boolean"}, "True", True),
        ({"type": ["boolean", "null"]}, "None", None),
        ({"type": "array"}, "['a', None,]", ["a", None]),
        ({"type": "object"}, "{'a': True}", {"a": True}),
        ({"properties": {}}, "{'a': True}", {"a": True}),
        ({"items": {}}, "['a']", ["a"]),
        ({"type": "integer"}, "2026-01-15", "2026-01-15"),
        ({"type": "integer"}, "02134", "02134"),
        ({"type": "object"}, "{not json", "{not json"),
        ({"type": "array"}, "[1, 2", "[1, 2"),
        ({"type": "boolean"}, "[1]", [1]),
        ({"type": "number"}, "NaN", "NaN"),
        ({}, "True", "True"),
        ({}, "", ""),
        ({"type": ["string", "array"]}, '["a"]', ["a"]),
        ({"type": ["string", "array"]}, '{"a": 1}', '{"a": 1}'),
        ({"type": ["string", "integer"]}, '"5"', '"5"'),
        ({"type": ["string", "integer"]}, "5.5", "5.5"),
    ],
)
def test_text_becomes_a_value_if_it_can(schema, text, value):
    assert tools_with(schema).read_text("f", "a", text) == value


def test_unlisted_arguments_follow_what_is_said_of_additional_ones():
    tools = tools_with({}, additionalProperties={"type": "string"})

    assert tools.read_text("f", "unlisted", "5") == "5"
    assert tools_with({}, additionalProperties=False).read_text("f", "unlisted", "5") == 5


def test_the_root_may_be_a_reference():
    parameters = {
        "$ref": "#/$defs/Arguments",
        "$defs": {"Arguments": {"properties": {"a": {"type": "string"}}}},
    }
    tools = ToolSchemas([{"function": {"name": "f", "parameters": parameters}}])

    assert tools.read_text("f", "a", "5") == "5"


@pytest.mark.parametrize(
    ("schema", "given_value", "value"),
    [
        ({"type": "array"}, '[{"a": 1}]', [{"a": 1}]),
        ({"type": "integer"}, "5", 5),
        ({"type": "number"}, "5", 5),
        ({"type": "integer"}, "five", "five"),
        ({"type": "integer"}, '"5"', '"5"'),
        ({"type": "object"}, "[1]", "[1]"),
        ({"type": "string"}, "5", "5"),
        ({"type": "string"}, 5, 5),
        ({"type": ["string", "array"]}, "[1]", "[1]"),
        ({}, "5", "5"),
    ],
)
def test_json_strings_are_decoded_only_where_they_would_be_wrong(schema, given_value, value):
    assert tools_with(schema).fit("f", {"a": given_value}) == {"a": value}


def test_a_schema_that_branches_into_itself_takes_no_time():
    definitions = {
        f"n{i}": {"anyOf": [{"$ref": f"#/$defs/n{i + 1}"}, {"$ref": f"#/$defs/n{i + 1}"}]}
        for i in range(200)
    }

    assert (
        tools_with({"$ref": "#/$defs/n0"}, **{"$defs": definitions}).read_text("f", "a", "1") == 1
    )


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["#", "#/a", "string", "f"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "anyOf",
                    "allOf",
                    "$ref",
                    "properties",
                    "enum",
                    "const",
                    "a",
                    "name",
                    "function",
                    "parameters",
                    "additionalProperties",
                    "items",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


absurd_tools = st.dictionaries(st.sampled_from(["function", "type"]), junk, max_size=2)


@given(st.lists(absurd_tools, max_size=2))
def test_no_tool_is_too_absurd(tools):
    schemas = ToolSchemas(tools)

    assert schemas.read_text("f", "a", "x") == "x"
    assert schemas.fit("f", {"a": "x"}) == {"a": "x"}
