import pytest

from inference.constraint import AnyJson, Choice, Ebnf, JsonSchema, Regex
from inference.text.grammar.fields import BadField, constraint_of

SCHEMA = {"type": "object"}
ALL = {
    "guided_grammar": 'root ::= "x"',
    "response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA}},
    "structured_outputs": {"type": "array"},
    "guided_regex": "[0-9]+",
    "guided_choice": ["yes", "no"],
}
IN_ORDER = [
    ("guided_grammar", Ebnf('root ::= "x"')),
    ("response_format", JsonSchema(SCHEMA)),
    ("structured_outputs", JsonSchema({"type": "array"})),
    ("guided_regex", Regex("[0-9]+")),
    ("guided_choice", Choice(("yes", "no"))),
]


@pytest.mark.parametrize("place", range(len(IN_ORDER)))
def test_of_several_fields_the_first_in_order_counts(place):
    body = {name: ALL[name] for name, _ in IN_ORDER[place:]}

    assert constraint_of(body) == IN_ORDER[place][1]


def test_a_json_object_outranks_a_bare_schema():
    body = {"response_format": {"type": "json_object"}, "structured_outputs": SCHEMA}

    assert constraint_of(body) == AnyJson()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"response_format": {"type": "text"}},
        {"response_format": None, "guided_choice": None, "guided_regex": None},
    ],
)
def test_text_or_nothing_is_no_constraint(body):
    assert constraint_of(body) is None


def test_a_text_format_leaves_the_other_fields_in_force():
    body = {"response_format": {"type": "text"}, "guided_choice": ["a"]}

    assert constraint_of(body) == Choice(("a",))


def test_a_schema_can_ask_for_no_whitespace():
    schema = {"schema": SCHEMA, "name": "x", "strict": True, "any_whitespace": False}

    found = constraint_of({"response_format": {"type": "json_schema", "json_schema": schema}})

    assert found == JsonSchema(SCHEMA, any_whitespace=False)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"response_format": "json"}, "response_format must be an object"),
        (
            {"response_format": {"type": "yaml"}},
            "response_format.type must be one of 'text', 'json_object', 'json_schema'",
        ),
        (
            {"response_format": {"type": "json_schema"}},
            "response_format.json_schema must be an object",
        ),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
            "response_format.json_schema.schema must be a JSON Schema, which is an object",
        ),
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"schema": {}, "any_whitespace": "no"},
                }
            },
            "response_format.json_schema.any_whitespace must be of type bool",
        ),
        (
            {"structured_outputs": [1]},
            "structured_outputs must be a JSON Schema, which is an object",
        ),
        ({"guided_grammar": ""}, "guided_grammar must be a string that is not empty"),
        ({"guided_regex": 5}, "guided_regex must be a string that is not empty"),
        ({"guided_choice": []}, "guided_choice must be a list of strings that is not empty"),
        ({"guided_choice": ["a", 1]}, "guided_choice must be a list of strings that is not empty"),
    ],
)
def test_a_field_of_a_wrong_type_is_named(body, message):
    """Public case so-05: faults of type."""
    with pytest.raises(BadField) as caught:
        constraint_of(body)

    assert str(caught.value) == message
    assert message.startswith(f"{caught.value.field} ")


def test_a_field_that_does_not_count_is_checked_all_the_same():
    with pytest.raises(BadField):
        constraint_of({"guided_grammar": 'root ::= "x"', "guided_choice": []})
