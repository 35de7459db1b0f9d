import copy
import json
import random
import time

import pytest

from inference.constraint import (
    AnyJson,
    Choice,
    Ebnf,
    GrammarNotEnforced,
    JsonSchema,
    Regex,
)
from inference.text.grammar.source import GrammarSource, write_grammar
from tests.plugins.random_schemas import random_schema


def reason(constraint):
    found = write_grammar(constraint)
    assert isinstance(found, GrammarNotEnforced)
    return found.reason


def test_a_callers_grammar_is_handed_on_as_it_stands():
    assert write_grammar(Ebnf('root ::= "x"')) == GrammarSource('root ::= "x"', is_callers=True)


@pytest.mark.parametrize(
    "constraint",
    [AnyJson(), Regex("[0-9]{4}"), Choice(("yes", "no")), JsonSchema({"type": "object"})],
)
def test_every_other_constraint_becomes_a_grammar_of_ours(constraint):
    source = write_grammar(constraint)

    assert source.ebnf.startswith("root ::= ")
    assert not source.is_callers
    assert source.shortfall is None


def test_both_spellings_of_a_schema_give_one_grammar():
    """Public case so-04: a schema sent as ASCII-escaped JSON."""
    schema = {"type": "object", "properties": {"状态": {"enum": ["在线", "😀", "café"]}}}

    escaped = json.loads(json.dumps(schema, ensure_ascii=True))
    plain = json.loads(json.dumps(schema, ensure_ascii=False))

    assert write_grammar(JsonSchema(escaped)) == write_grammar(JsonSchema(plain))


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "not-a-type"}, "'not-a-type' is no type of JSON Schema"),
        (
            {"type": "object", "properties": {"foo": "bar"}},
            "properties/foo of the schema must be an object or a truth value",
        ),
        (
            {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
            "no finite text satisfies it",
        ),
        ({"$ref": "#/$defs/missing"}, "$ref '#/$defs/missing' points to nothing"),
        (
            {"$ref": "https://example.com/x"},
            "$ref 'https://example.com/x' points outside the schema",
        ),
        ({"$ref": 5}, "$ref of the schema must be a string"),
        ({"enum": []}, "no finite text satisfies it"),
        ({"type": "string", "minLength": 5, "maxLength": 2}, "no finite text satisfies it"),
        ({"type": "string", "minLength": "2"}, "minLength of the schema must be a whole number"),
        ({"type": "integer", "minimum": 5, "maximum": 4}, "no finite text satisfies it"),
        ({"type": "array", "minItems": 2, "maxItems": 1}, "no finite text satisfies it"),
        ({"properties": []}, "properties of the schema must be an object"),
        ({"anyOf": []}, "anyOf of the schema must be a list that is not empty"),
        (
            {"type": "object", "patternProperties": {"(": {}}},
            "patternProperties: regular expression: a group without ), near character 1",
        ),
        (
            {
                "type": "object",
                "properties": {"child": {"$ref": "#"}},
                "required": ["child"],
            },
            "no finite text satisfies it",
        ),
        (False, "no finite text satisfies it"),
    ],
)
def test_a_schema_with_a_fault_says_what_it_is(schema, expected):
    """Public case so-05: faults of schemas."""
    assert reason(JsonSchema(schema)) == expected


JUNK = [
    None, True, False, 0, -1, 1, 1.5, 1e308, float("inf"), 10**400, "", "a", "#", "#/$defs/d",
    "#/$defs", "(", "\ud800", "x" * 3_000, [], ["a"], [1], [[]], [{}], {}, {"a": 1}, {"a": {}},
    {"": False}, {"type": "string"}, [None], {"$ref": "#"}, [{"$ref": "#"}],
]  # fmt: skip
KEYWORDS = [
    "$ref",
    "$defs",
    "$id",
    "$anchor",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "type",
    "enum",
    "const",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "prefixItems",
    "additionalItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependencies",
    "dependentSchemas",
    "unevaluatedProperties",
]


def objects_in(node):
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            yield from objects_in(child)


@pytest.mark.parametrize("batch", range(5))
def test_a_schema_with_junk_in_it_is_no_exception(batch):
    for seed in range(batch * 100, batch * 100 + 100):
        numbers = random.Random(seed)
        schema = random_schema(numbers)
        for _ in range(numbers.randrange(1, 5)):
            place = numbers.choice(list(objects_in(schema)))
            place[numbers.choice(KEYWORDS)] = copy.deepcopy(numbers.choice(JUNK))

        assert isinstance(write_grammar(JsonSchema(schema)), GrammarSource | GrammarNotEnforced)


def nested(depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize(
    ("constraint", "limit"),
    [
        (JsonSchema(nested(400)), "nests deeper than 64"),
        (JsonSchema({"enum": ["x" * 50] * 20_000}), "more than 250,000"),
        (JsonSchema({"anyOf": [{"const": i} for i in range(600)]}), "more than 512 alternatives"),
        (
            JsonSchema({"allOf": [{"anyOf": [{"minLength": n}] * 30} for n in range(5)]}),
            "more than 512 alternatives",
        ),
        (
            JsonSchema({"patternProperties": {f"^{i}": {} for i in range(9)}}),
            "more than 6 patterns",
        ),
        (Regex("[a-z]{1,20000}"), "more than 4,096 states"),
        (Ebnf("x" * 200_001), "more than 200,000"),
        (Choice(("x" * 500_001,)), "more than 500,000"),
        (Choice(("\ud83d",)), "half a surrogate pair"),
    ],
)
def test_what_is_too_large_is_refused_with_its_limit(constraint, limit):
    assert limit in reason(constraint)


def test_a_schema_whose_merging_comes_to_no_end_is_refused():
    """Which of these definitions hold for a member depends on all members around it."""
    here = [{"$ref": f"#/$defs/{n}"} for n in range(20)]
    definitions = {n: {"properties": {"x": here[n + 1], "y": here[n + 1]}} for n in range(1, 19)}
    definitions[0] = {"properties": {"x": {"allOf": here[:2]}, "y": here[0]}}
    definitions[19] = {"maxProperties": 1}
    schema = {"type": "object", **here[0], "$defs": {str(n): d for n, d in definitions.items()}}
    started = time.process_time()

    assert "too many kinds of values" in reason(JsonSchema(schema))
    assert time.process_time() - started < 15


@pytest.mark.parametrize(
    "constraint",
    [
        Choice(tuple(f"choice number {n} of many" for n in range(10_000))),
        JsonSchema({"enum": [f"value {n}" for n in range(10_000)]}),
        JsonSchema(
            {
                "$ref": "#/$defs/t0",
                "$defs": {
                    f"t{n}": {
                        "type": "object",
                        "properties": {"next": {"$ref": f"#/$defs/t{n + 1}"}},
                    }
                    for n in range(500)
                }
                | {"t500": {"type": "null"}},
            }
        ),
        JsonSchema({"type": "object", "properties": {f"field_{n}": {} for n in range(1_000)}}),
    ],
)
def test_what_is_only_long_is_written_in_time(constraint):
    started = time.process_time()

    assert isinstance(write_grammar(constraint), GrammarSource)
    assert time.process_time() - started < 15


@pytest.mark.parametrize(
    ("schema", "gaps"),
    [
        ({"type": "array", "items": {}, "uniqueItems": True}, ("uniqueItems",)),
        ({"type": "array", "items": {}, "maxItems": 1, "uniqueItems": True}, ()),
        ({"type": "array", "contains": {"const": 1}}, ("contains",)),
        ({"type": "string", "not": {"const": "x"}}, ()),
        ({"type": "string", "not": {"format": "date"}}, ("not",)),
        (
            {"type": "array", "if": {"items": {"type": "null"}}, "then": {"minItems": 1}},
            ("if", "then"),
        ),
        ({"type": "string", "maxLength": 100_000}, ("maxLength",)),
        (
            {"type": "string", "pattern": "("},
            ("pattern (regular expression: a group without ), near character 1)",),
        ),
        ({"type": "integer", "multipleOf": 99_991}, ("multipleOf",)),
        ({"oneOf": [{"type": "string"}, {"type": "string", "minLength": 2}]}, ()),
        ({"oneOf": [{"type": "string"}, {"type": "string", "format": "date"}]}, ("oneOf",)),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, ()),
        (
            {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {"kind": {"const": kind}},
                        "required": ["kind"],
                    }
                    for kind in ("a", "b")
                ]
            },
            (),
        ),
        ({"type": "string", "description": "x", "x-order": 1, "format": "unheard-of"}, ()),
    ],
)
def test_what_a_grammar_leaves_out_is_noted(schema, gaps):
    assert write_grammar(JsonSchema(schema)).gaps == gaps


def test_a_shortfall_names_what_is_missing():
    source = write_grammar(JsonSchema({"type": "array", "items": {}, "uniqueItems": True}))

    assert source.shortfall == GrammarNotEnforced("uniqueItems; the rest of the schema is enforced")
