"""Schemas as client libraries write them."""

import datetime
import decimal
import enum
import uuid
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from inference.text.tools.call_schema import call_schema, schema_or_call
from tests.plugins.schema_battery.case import CLOSED, enforced, in_part

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str
    number: int = Field(gt=0)
    zip_code: str = Field(pattern=r"^\d{4}[A-Z]{2}$")


class Person(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=40, description="Who it is")
    age: int | None = Field(default=None, ge=0, le=150)
    colour: Colour = Colour.RED
    address: Address
    tags: list[str] = Field(default_factory=list, max_length=3)


class Event(BaseModel):
    id: uuid.UUID
    at: datetime.datetime
    day: datetime.date
    price: decimal.Decimal
    place: tuple[float, float]
    counts: dict[str, int]
    level: Literal[1, 2, 3]
    data: Any


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: Annotated[float, Field(gt=0, multiple_of=0.5)]


class Square(BaseModel):
    kind: Literal["square"]
    side: float


class Drawing(BaseModel):
    shapes: list[Annotated[Circle | Square, Field(discriminator="kind")]] = Field(min_length=1)


class Expression(BaseModel):
    value: int | None = None
    left: "Expression | None" = None
    right: "Expression | None" = None


class Scores(RootModel[dict[Annotated[str, Field(pattern="^[a-z]+$")], int]]):
    pass


class Labels(BaseModel):
    labels: set[str]


HOME = {"street": "Main", "number": 1, "zip_code": "1234AB"}
EVENT = {
    "id": "123e4567-e89b-12d3-a456-426614174000",
    "at": "2024-05-01T10:00:00Z",
    "day": "2024-05-01",
    "price": 1.5,
    "place": [1.5, -2],
    "counts": {"a": 1},
    "level": 2,
    "data": {"x": [1]},
}

PYDANTIC = [
    enforced(
        "pydantic: a person",
        Person.model_json_schema(),
        [
            {"name": "Ann", "address": HOME},
            {"name": "B", "age": None, "colour": "blue", "address": HOME},
        ],
        [
            {"name": "", "address": HOME},
            {"name": "Ann"},
            {"name": "Ann", "colour": "green", "address": HOME},
            {"name": "Ann", "age": 151, "address": HOME},
            {"name": "Ann", "address": {**HOME, "zip_code": "1234ab"}},
            {"name": "Ann", "address": {**HOME, "number": 0}},
            {"name": "Ann", "address": HOME, "tags": ["a"] * 4},
        ],
    ),
    enforced(
        "pydantic: an event",
        Event.model_json_schema(),
        [EVENT, {**EVENT, "price": "2.50", "data": None}],
        [
            {**EVENT, "id": "x"},
            {**EVENT, "day": "2024-02-30"},
            {**EVENT, "place": [1]},
            {**EVENT, "counts": {"a": "x"}},
            {**EVENT, "level": 4},
        ],
        unsaid={CLOSED: [{**EVENT, "more": 1}]},
    ),
    enforced(
        "pydantic: a union by kind",
        Drawing.model_json_schema(),
        [{"shapes": [{"kind": "circle", "radius": 2.5}, {"kind": "square", "side": -1}]}],
        [
            {"shapes": []},
            {"shapes": [{"kind": "circle", "side": 1}]},
            {"shapes": [{"kind": "circle", "radius": 2.2}]},
            {"shapes": [{"kind": "oval"}]},
        ],
    ),
    enforced(
        "pydantic: a model that holds itself",
        Expression.model_json_schema(),
        [{}, {"value": 1, "left": {"value": 2, "left": None}, "right": {"right": {}}}],
        [{"left": 1}, {"left": {"value": "x"}}],
    ),
    enforced(
        "pydantic: a map with a pattern",
        Scores.model_json_schema(),
        [{}, {"abc": 1}],
        [{"abc": "x"}],
    ),
    in_part(
        "uniqueItems",
        "pydantic: a set",
        Labels.model_json_schema(),
        [{"labels": ["a", "b"]}],
        [{"labels": "a"}],
        missed=[{"labels": ["a", "a"]}],
    ),
]

STRICT = [
    enforced(
        "strict: steps and an answer",
        {
            "type": "object",
            "properties": {
                "steps": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "explanation": {"type": "string"},
                            "output": {"type": "string"},
                        },
                        "required": ["explanation", "output"],
                        "additionalProperties": False,
                    },
                },
                "final_answer": {"type": "string"},
                "confidence": {"type": ["number", "null"]},
            },
            "required": ["steps", "final_answer", "confidence"],
            "additionalProperties": False,
        },
        [
            {
                "steps": [{"explanation": "2+2", "output": "4"}],
                "final_answer": "4",
                "confidence": None,
            }
        ],
        [{"steps": [], "final_answer": "4"}, {"steps": [{}], "final_answer": "", "confidence": 1}],
    ),
    enforced(
        "strict: a page that holds pages",
        {
            "type": "object",
            "properties": {
                "tag": {"type": "string", "enum": ["div", "button"]},
                "label": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#"}},
                "attributes": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/attribute"},
                },
            },
            "$defs": {
                "attribute": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                    "required": ["name", "value"],
                    "additionalProperties": False,
                }
            },
            "required": ["tag", "label", "children", "attributes"],
            "additionalProperties": False,
        },
        [
            {
                "tag": "div",
                "label": "",
                "children": [
                    {
                        "tag": "button",
                        "label": "Go",
                        "children": [],
                        "attributes": [{"name": "id", "value": "x"}],
                    }
                ],
                "attributes": [],
            }
        ],
        [{"tag": "p", "label": "", "children": [], "attributes": []}, {"tag": "div"}],
    ),
]

HEX = "[0-9a-fA-F]"
ZOD_UUID = (
    f"^({HEX}{{8}}-{HEX}{{4}}-[1-8]{HEX}{{3}}-[89abAB]{HEX}{{3}}-{HEX}{{12}}"
    "|00000000-0000-0000-0000-000000000000)$"
)
ZOD = [
    enforced(
        "zod 3: draft 7 with what may be absent",
        {
            "$schema": DRAFT_7,
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "email": {"type": "string", "format": "email"},
                "role": {"type": "string", "enum": ["admin", "user"], "default": "user"},
                "score": {"type": "number", "exclusiveMinimum": 0, "maximum": 100},
                "nickname": {"type": ["string", "null"]},
                "either": {"anyOf": [{"not": {}}, {"type": "integer"}]},
                "pair": {
                    "type": "array",
                    "minItems": 2,
                    "maxItems": 2,
                    "items": [{"type": "string"}, {"type": "number"}],
                },
                "never": {"not": {}},
                "any": {},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        [
            {"name": "x"},
            {"name": "x", "email": "a@b.cd", "role": "user", "score": 99.5, "nickname": None},
            {"name": "x", "either": 1, "pair": ["a", 1], "any": [{}]},
        ],
        [
            {"name": ""},
            {"name": "x", "score": 0},
            {"name": "x", "pair": ["a"]},
            {"name": "x", "never": None},
            {"name": "x", "either": "a"},
            {"name": "x", "email": "a"},
        ],
    ),
    enforced(
        "zod 4: intersections, records and unions",
        {
            "$schema": DRAFT_2020,
            "type": "object",
            "properties": {
                "count": {
                    "type": "integer",
                    "minimum": -9007199254740991,
                    "maximum": 9007199254740991,
                },
                "record": {
                    "type": "object",
                    "propertyNames": {"type": "string", "enum": ["a", "b"]},
                    "additionalProperties": {"type": "number"},
                    "required": ["a", "b"],
                },
                "both": {
                    "allOf": [
                        {
                            "type": "object",
                            "properties": {"x": {"type": "string"}},
                            "required": ["x"],
                        },
                        {
                            "type": "object",
                            "properties": {"y": {"type": "string"}},
                            "required": ["y"],
                        },
                    ]
                },
                "union": {
                    "oneOf": [
                        {
                            "type": "object",
                            "properties": {"type": {"type": "string", "const": "a"}},
                            "required": ["type"],
                            "additionalProperties": False,
                        },
                        {
                            "type": "object",
                            "properties": {"type": {"type": "string", "const": "b"}, "n": {}},
                            "required": ["type"],
                            "additionalProperties": False,
                        },
                    ]
                },
                "link": {"type": "string", "format": "uri"},
                "id": {
                    "type": "string",
                    "format": "uuid",
                    "pattern": ZOD_UUID,
                },
            },
            "required": ["count", "record"],
            "additionalProperties": False,
        },
        [
            {"count": 1, "record": {"a": 1, "b": 2}},
            {
                "count": -9007199254740991,
                "record": {"a": 0.5, "b": 2},
                "both": {"x": "1", "y": "2"},
                "union": {"type": "b", "n": 1},
                "link": "https://example.com",
                "id": "123e4567-e89b-42d3-a456-426614174000",
            },
        ],
        [
            {"count": 1.5, "record": {"a": 1, "b": 2}},
            {"count": 1, "record": {"a": 1}},
            {"count": 1, "record": {"a": 1, "b": 2, "c": 3}},
            {"count": 1, "record": {"a": 1, "b": 2}, "union": {"type": "a", "n": 1}},
            {"count": 1, "record": {"a": 1, "b": 2}, "both": {"x": "1"}},
        ],
    ),
]

EDIT = {
    "$schema": DRAFT_2020,
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "Which file"},
        "old": {"type": "string"},
        "new": {"type": "string"},
        "replace_all": {"type": "boolean", "default": False},
    },
    "required": ["file_path", "old", "new"],
    "additionalProperties": False,
}
FETCH = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "format": "uri"},
        "timeout": {"type": "number", "exclusiveMinimum": 0, "maximum": 600},
        "headers": {
            "type": "object",
            "propertyNames": {"type": "string"},
            "additionalProperties": {"type": "string"},
        },
        "mode": {"anyOf": [{"const": "text"}, {"type": "string", "enum": ["raw", "json"]}]},
    },
    "required": ["url"],
    "additionalProperties": False,
}
TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "required": ["root"],
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["name"],
        }
    },
}


def tool(name: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    function = {"name": name} if parameters is None else {"name": name, "parameters": parameters}
    return {"type": "function", "function": function}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


TOOLS = [tool("edit", EDIT), tool("fetch", FETCH), tool("tree", TREE), tool("now")]
GOOD_CALLS = [
    call("edit", file_path="a.py", old="x", new="y"),
    call("edit", file_path="a.py", old="x", new="y", replace_all=True),
    call("fetch", url="https://a.example", timeout=0.5, headers={"A": "b"}, mode="raw"),
    call("tree", root={"name": "a", "kids": [{"name": "b", "kids": []}]}),
    call("now"),
]
BAD_CALLS = [
    call("edit", file_path="a.py", old="x"),
    call("edit", file_path="a.py", old="x", new="y", more=1),
    call("fetch", url="no link"),
    call("fetch", url="https://a.example", mode="xml"),
    call("fetch", url="https://a.example", timeout=0),
    call("tree", root={"name": "a", "kids": [{}]}),
    call("unknown"),
    {"name": "now"},
    {"name": "now", "arguments": []},
    {"name": "now", "arguments": {}, "more": 1},
]

CALLS = [
    enforced("tools: one of several", call_schema(TOOLS), GOOD_CALLS, BAD_CALLS),
    enforced(
        "tools: this one",
        call_schema(TOOLS[:1]),
        GOOD_CALLS[:2],
        [*BAD_CALLS, *GOOD_CALLS[2:]],
    ),
    enforced(
        "tools: a call, or an answer of a schema",
        schema_or_call(Person.model_json_schema(), TOOLS),
        [*GOOD_CALLS, {"name": "Ann", "address": HOME}],
        [{"name": "Ann"}, *BAD_CALLS],
    ),
    enforced(
        "tools: a call, or any object",
        schema_or_call({"type": ["object", "array"]}, TOOLS),
        [*GOOD_CALLS, {}, [1]],
        [1, "x"],
    ),
]

CASES = [*PYDANTIC, *STRICT, *ZOD, *CALLS]
