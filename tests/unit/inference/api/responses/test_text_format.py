"""What the text of an answer must satisfy."""

import pytest

from inference.api.responses.text_format import constraint_of
from inference.constraint import AnyJson, JsonSchema
from inference.errors import InvalidRequest

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    "text",
    [{}, {"verbosity": "low"}, {"format": None}, {"format": {"type": "text"}}],
)
def test_text_is_free_unless_a_format_is_asked_for(text):
    assert constraint_of(text) is None


def test_any_json_can_be_asked_for():
    assert constraint_of({"format": {"type": "json_object"}}) == AnyJson()


def test_json_of_a_schema_can_be_asked_for():
    text_format = {"type": "json_schema", "name": "x", "strict": True, "schema": SCHEMA}

    assert constraint_of({"format": text_format}) == JsonSchema(SCHEMA)


def test_blanks_can_be_forbidden():
    text_format = {"type": "json_schema", "schema": SCHEMA, "any_whitespace": False}

    assert constraint_of({"format": text_format}) == JsonSchema(SCHEMA, any_whitespace=False)


@pytest.mark.parametrize(
    ("text_format", "message"),
    [
        ("json", "text.format must be an object"),
        ({"type": "xml"}, "text.format.type is 'xml', expected one of 'text', 'json_object'"),
        ({}, "text.format.type is None"),
        ({"type": ["text"]}, "text.format.type is"),
        ({"type": "json_schema"}, "text.format.schema must be an object"),
        ({"type": "json_schema", "schema": "x"}, "text.format.schema must be an object"),
    ],
)
def test_a_format_that_means_nothing_is_refused(text_format, message):
    with pytest.raises(InvalidRequest) as raised:
        constraint_of({"format": text_format})

    assert message in raised.value.message
    assert raised.value.param == "text"
