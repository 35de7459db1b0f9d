"""The schema that a forced call must fit, checked by a validator that is not ours."""

import pytest

from inference.text.tools.call_schema import call_schema, schema_or_call

jsonschema = pytest.importorskip("jsonschema")


def tool(name, parameters=None):
    function = {"name": name} if parameters is None else {"name": name, "parameters": parameters}
    return {"type": "function", "function": function}


TREE = {
    "type": "object",
    "properties": {"node": {"$ref": "#/$defs/Node"}, "any": True},
    "required": ["node"],
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
}
TOOLS = [tool("tree", TREE), tool("none"), tool("self", {"properties": {"a": {"$ref": "#"}}})]


def accepts(schema, value):
    return jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"name": "tree", "arguments": {"node": {"next": {"next": {}}}}}, True),
        ({"name": "tree", "arguments": {"node": {"next": 1}}}, False),
        ({"name": "tree", "arguments": {}}, False),
        ({"name": "none", "arguments": {}}, True),
        ({"name": "none", "arguments": []}, False),
        ({"name": "self", "arguments": {"a": {"a": {}}}}, True),
        ({"name": "other", "arguments": {}}, False),
        ({"name": "none"}, False),
        ({"name": "none", "arguments": {}, "more": 1}, False),
        ("tree", False),
    ],
)
def test_a_call_fits_the_schema_of_its_own_tool(value, fits):
    assert accepts(call_schema(TOOLS), value) is fits


def test_an_answer_may_fit_its_own_schema_instead():
    schema = {"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}}

    union = schema_or_call(schema, TOOLS)

    assert accepts(union, 7)
    assert accepts(union, {"name": "none", "arguments": {}})
    assert not accepts(union, "7")


def test_the_callers_schemas_are_left_as_they_were():
    before = repr(TOOLS)

    call_schema(TOOLS)

    assert repr(TOOLS) == before
