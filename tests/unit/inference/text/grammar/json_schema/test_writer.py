"""Which texts a schema's grammar accepts, walked byte by byte through the engine's matcher."""

import json
import re

import numpy as np
import pytest

from inference.constraint import JsonSchema
from tests.plugins.grammar import VOCAB, verdict


@pytest.fixture
def walk(compile_constraint):
    """Return which of some texts a schema's grammar accepts as a whole."""

    def accepted(schema, texts, *, any_whitespace=True):
        compiled = compile_constraint(JsonSchema(schema, any_whitespace))
        return [text for text in texts if verdict(compiled, text) == "complete"]

    return accepted


# Schema, texts to accept, texts to refuse.
CORPUS = {
    "lengths": (
        """Public case so-02: a length counts characters, an escape is one.""",
        {
            "type": "object",
            "properties": {"t": {"type": "string", "minLength": 1, "maxLength": 8}},
            "required": ["t"],
            "additionalProperties": False,
        },
        [
            r'{"t":"a\nb"}',
            r'{"t":"\"hi\""}',
            r'{"t":"c:\\d"}',
            r'{"t":"\u00e9"}',
            r'{"t":"\ud83d\ude00"}',
            '{"t":"😀😀😀😀😀😀😀😀"}',
            '{"t":"' + r"\ud83d\ude00" * 8 + '"}',
        ],
        ['{"t":""}', '{"t":"123456789"}', '{"t":"\t"}', r'{"t":"\ud83d"}', r'{"t":"\x"}'],
    ),
    "unicode": (
        """Public case so-04: names and values beyond ASCII.""",
        {
            "type": "object",
            "properties": {
                "状态": {"enum": ["在线", "Офлайн", "😀", "café"]},
                "c": {"const": "東京"},
            },
            "required": ["状态", "c"],
            "additionalProperties": False,
        },
        ['{"状态":"在线","c":"東京"}', '{"状态":"😀","c":"東京"}'],
        ['{"状态":"?","c":"東京"}', '{"状态":"å\u009c¨","c":"東京"}'],
    ),
    "optional properties": (
        "",
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {}, "c": {"type": "null"}},
            "required": ["b"],
        },
        ['{"b":1}', '{"a":1,"b":[]}', '{"b":{"x":1},"c":null}', '{ "a" : 1 , "b" : "x" }'],
        ['{"a":1}', '{"b":1,"a":1}', '{"b":1,}', '{"b":1,"d":1}', "{}", '{"a":1.5,"b":1}'],
    ),
    "no required property": (
        "",
        {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "null"}}},
        ["{}", '{"a":true}', '{"b":null}', '{"a":false,"b":null}'],
        ['{,"b":null}', '{"a":1}'],
    ),
    "other properties": (
        "",
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "additionalProperties": {"type": "boolean"},
        },
        ["{}", '{"a":1}', '{"b":true}', '{"a":1,"ab":true,"":false}', r'{"a":1,"\n\"":true}'],
        ['{"a":true}', '{"b":1}', '{"a":1,"a":true}', '{"a":1 "b":true}'],
    ),
    "properties by pattern": (
        "",
        {
            "type": "object",
            "properties": {"x_known": {"type": "integer"}},
            "patternProperties": {"^x_": {"minimum": 3, "type": "integer"}, "d$": {"maximum": 5}},
            "additionalProperties": {"type": "null"},
        },
        ['{"x_known":7}', '{"x_1":3}', '{"x_1":9,"other":null,"end":5}', '{"x_end":4}'],
        ['{"x_known":2}', '{"x_1":2}', '{"other":1}', '{"end":6}', '{"x_end":6}', '{"x_end":2}'],
    ),
    "names of properties": (
        "",
        {"type": "object", "propertyNames": {"maxLength": 2}, "required": ["q"]},
        ['{"q":1}', '{"q":1,"ab":[]}'],
        ["{}", '{"q":1,"abc":1}'],
    ),
    "numbers of properties": (
        "",
        {
            "type": "object",
            "properties": {name: {"type": "integer"} for name in "abc"},
            "minProperties": 1,
            "maxProperties": 2,
        },
        ['{"a":1}', '{"b":1,"c":2}', '{"a":1,"c":2}'],
        ["{}", '{"a":1,"b":2,"c":3}'],
    ),
    "an unlisted property that is required": (
        "",
        {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["b"]},
        ['{"b":[1]}', '{"a":null,"b":0}'],
        ["{}", '{"a":null}'],
    ),
    "a property that depends on another": (
        "",
        {
            "type": "object",
            "properties": {"a": {"const": 1}, "b": {"const": 2}},
            "dependentRequired": {"a": ["b"]},
        },
        ["{}", '{"b":2}', '{"a":1,"b":2}'],
        ['{"a":1}'],
    ),
    "arrays": (
        "",
        {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
        ["[1]", "[1,2]", "[ 1 ,\n 2,3 ]"],
        ["[]", "[1,2,3,4]", '["a"]', "[1,]", "[,1]"],
    ),
    "tuples": (
        "",
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
        ["[]", "[1]", '[1,"a"]'],
        ['["a"]', '[1,"a",2]', "[1,2]"],
    ),
    "tuples with a rest": (
        "",
        {
            "type": "array",
            "items": [{"type": "integer"}],
            "additionalItems": {"type": "null"},
            "minItems": 2,
        },
        ["[1,null]", "[1,null,null]"],
        ["[1]", "[]", "[1,1]"],
    ),
    "whole numbers": (
        "",
        {"type": "integer", "minimum": -3, "exclusiveMaximum": 120, "multipleOf": 3},
        ["-3", "0", "3", "117"],
        ["-6", "1", "120", "1.0", "03", "+3", ""],
    ),
    "numbers": (
        "",
        {"type": "number", "exclusiveMinimum": 0, "maximum": 9.5, "multipleOf": 0.25},
        ["0.25", "9.5", "9.50", "3"],
        ["0", "0.1", "9.75", "1e0", "-1"],
    ),
    "free numbers": (
        "",
        {"type": "number"},
        ["0", "-0.5", "12", "1e5", "2.5E-3"],
        ["", ".5", "1.", "01", "0x1", "NaN", "1e"],
    ),
    "exclusive bounds of draft 4": (
        "",
        {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
        ["4"],
        ["3"],
    ),
    "a pattern that is searched for": (
        "",
        {"type": "string", "pattern": r"\d+"},
        ['"a12b"', '"1"', r'"\n1"'],
        ['"ab"', '""'],
    ),
    "a pattern, a length and escapes": (
        "",
        {"type": "string", "pattern": '^["\\\\\n]+$', "maxLength": 2},
        [r'"\"\\"', r'"\n"'],
        [r'"\"\"\""', '"a"', '"""'],
    ),
    "formats": (
        "",
        {
            "type": "array",
            "prefixItems": [
                {"format": name}
                for name in ("date", "time", "email", "uuid", "ipv4", "date-time", "uri", "unknown")
            ],
        },
        [
            '["2024-02-29","23:59:59Z","a.b@c.example","123e4567-e89b-12d3-a456-426614174000",'
            '"127.0.0.1","2023-04-30T00:00:00.5+02:00","https://x.example/a?b=c#d","x"]'
        ],
        ['["2023-02-29"]', '["2024-04-31"]', '["2024-1-1"]', '["2024-01-01","24:00:00Z"]'],
    ),
    "alternatives with a part in common": (
        "",
        {
            "type": "object",
            "properties": {"id": {"type": "integer"}},
            "required": ["id"],
            "anyOf": [
                {
                    "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}},
                    "required": ["n"],
                },
                {
                    "properties": {"kind": {"const": "b"}, "s": {"type": "string"}},
                    "required": ["s"],
                },
            ],
        },
        ['{"id":1,"kind":"a","n":2}', '{"id":1,"s":"x"}', '{"id":1,"kind":"b","s":"x"}'],
        ['{"id":1}', '{"id":1,"kind":"a","s":"x"}', '{"kind":"a","n":2}'],
    ),
    "all of several": (
        "",
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "integer", "minimum": 2}}},
                {"properties": {"a": {"maximum": 3}, "b": {"type": "null"}}, "required": ["a"]},
            ]
        },
        ['{"a":2}', '{"a":3,"b":null}'],
        ['{"a":4}', '{"a":1}', "{}"],
    ),
    "a closed part forbids what another lists": (
        "",
        {
            "allOf": [
                {"properties": {"a": {}}, "additionalProperties": False},
                {"properties": {"b": {}}},
            ]
        },
        ["{}", '{"a":1}'],
        ['{"b":1}', '{"a":1,"b":1}'],
    ),
    "a tree": (
        "",
        {
            "$ref": "#/$defs/node",
            "$defs": {
                "node": {
                    "type": "object",
                    "properties": {
                        "v": {"type": "integer"},
                        "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    },
                    "required": ["v"],
                }
            },
        },
        ['{"v":1}', '{"v":1,"kids":[{"v":2,"kids":[{"v":3}]},{"v":4}]}'],
        ['{"kids":[]}', '{"v":1,"kids":[1]}'],
    ),
    "references of all kinds": (
        "",
        {
            "$id": "https://example.com/s",
            "type": "array",
            "items": {
                "anyOf": [
                    {"$ref": "#named"},
                    {"$ref": "https://example.com/s#/definitions/a~1b%20c"},
                    {"$ref": "#"},
                ]
            },
            "definitions": {"a/b c": {"const": 2}, "x": {"$anchor": "named", "const": 1}},
        },
        ["[]", "[1,2]", "[[[1]],2]"],
        ["[3]", "1"],
    ),
    "a reference with a part of its own": (
        "",
        {"$ref": "#/$defs/n", "maximum": 5, "$defs": {"n": {"type": "integer", "minimum": 3}}},
        ["3", "5"],
        ["2", "6"],
    ),
    "listed values": (
        "",
        {"enum": ["a\nb", 1, 2.5, {"a": [1, 2]}, None, True, "é", "\ud83d"]},
        [r'"a\nb"', "1", "2.5", '{"a":[1,2]}', "null", "true", '"é"', r'"\ud83d"'],
        ["false", "2", '"a"', "{}"],
    ),
    "listed values of one type": (
        "",
        {"type": "integer", "enum": [1, "a", 2.5, 7.0, None, True], "maximum": 5},
        ["1"],
        ['"a"', "2.5", "7", "7.0", "null", "true"],
    ),
    "several types": (
        "",
        {"type": ["string", "null"], "maxLength": 1},
        ['"a"', "null", '""'],
        ['"ab"', "1"],
    ),
    "types that are meant": (
        "",
        {"properties": {"a": {"minLength": 1}}},
        ["{}", '{"a":"x"}'],
        ["1", "[]", '{"a":""}', '{"a":1}'],
    ),
    "anything": (
        "",
        {},
        ["1", "null", '"x"', "[]", '{"a":[{}]}', " ".join(["[", "]"])],
        ["", "nul", "[", "{]}", "'x'"],
    ),
    "an object without more": ("", {"type": "object"}, ["{}", '{"x":[1]}'], ["[]", "1"]),
    "an object that may hold no other": (
        "",
        {"type": "object", "additionalProperties": False},
        ["{}", "{ }"],
        ['{"a":1}'],
    ),
}


@pytest.mark.parametrize("name", CORPUS)
def test_a_schema_accepts_what_it_should(name, walk):
    _, schema, accept, _ = CORPUS[name]

    assert walk(schema, accept) == accept


@pytest.mark.parametrize("name", CORPUS)
def test_a_schema_refuses_what_it_should(name, walk):
    _, schema, _, refuse = CORPUS[name]

    assert walk(schema, refuse) == []


def test_an_indented_answer_is_accepted(walk):
    value = {"a": [1, {"b": "x"}], "c": {}}
    texts = [json.dumps(value, indent=indent) for indent in (None, 1, 2, 4, "\t")]

    assert walk({}, texts) == texts


def test_without_whitespace_only_compact_json_is_accepted(walk):
    """Public case so-01: `any_whitespace: false`."""
    texts = ['{"a":[1,2]}', '{"a": [1,2]}', '{ "a":[1,2]}', '{"a":[1, 2]}']

    assert walk({}, texts, any_whitespace=False) == texts[:1]


def test_a_model_that_prefers_blanks_comes_to_an_end(compile_constraint):
    """Public case so-01: blanks are bounded, so padding turns into text."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    matcher = compile_constraint(JsonSchema(schema)).matcher()
    answer = bytearray()

    for _ in range(400):
        if matcher.is_done:
            break
        bits = np.unpackbits(matcher.mask.view(np.uint8)[0], bitorder="little")[:VOCAB]
        allowed = np.flatnonzero(bits)
        blanks = [token for token in allowed if token in b" \n\t\r"]
        token = int(blanks[0] if blanks else allowed[0])
        assert matcher.accept(token)
        answer.append(token)

    assert matcher.is_done
    assert json.loads(answer)["a"] >= 0
    assert max(map(len, re.findall(rb"[ \n\t\r]+", answer))) <= 64
