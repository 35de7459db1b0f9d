"""Bodies made from the OpenAPI document, and a judge that reads them as the document does."""

import copy
import json
import math
import random
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema
from jsonschema.validators import extend

from mlxsite.openapi import document

JSON = "application/json"
EVENTS = "text/event-stream"
TEXTS = ("", "hi", "Ünïcödé ✓", "user", "text", "auto", "none", "function", "\ud800", "a" * 300)
NUMBERS = (0, 1, -1, 0.5, 16, 17, 2**31, 2**63, 2**64, -(2**63) - 1, 1e300, 10**300)


def _is_integer(_checker: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_DRAFT = jsonschema.Draft202012Validator
# Stricter than JSON Schema, as the document says: 1.0 is no whole number.
Judge = extend(_DRAFT, type_checker=_DRAFT.TYPE_CHECKER.redefine("integer", _is_integer))

# What is refused although it fits: facts of the model, of the store, and between fields.
BEYOND_A_SCHEMA = re.compile(
    r"takes no (audio|video) content|has no vision sidecar|audio content parts cannot"
    r"|tool_choice.*(not in tools|not among the tools|there are no tools)"
    r"|dimensions is .* vectors have|is no embedding model"
    r"|input has no message|not found; what is stored|logit_bias names token|prompt is too long"
    r"|unknown adapter .* is not mounted|takes no adapters"
)
# What is accepted although it does not fit: members that are read only where another is not.
READ_IN_PLACE_OF_ANOTHER = ("function_call", "summary", "output_format")


def judge(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """A validator of one schema of the document."""
    return Judge({"allOf": [schema], "components": document["components"]})


def fits(judge: Any, body: Any) -> bool:
    """Whether a body is JSON, and its schema's."""
    try:
        json.dumps(body, allow_nan=False)
    except ValueError:
        return False
    return bool(judge.is_valid(body))


def without(value: Any, names: Collection[str]) -> Any:
    """A copy of a JSON value without members of certain names."""
    if isinstance(value, dict):
        return {key: without(child, names) for key, child in value.items() if key not in names}
    return [without(child, names) for child in value] if isinstance(value, list) else value


def data_of(stream: str) -> list[Any]:
    """The JSON values that a stream of server-sent events carries."""
    lines = [
        line.removeprefix("data: ") for line in stream.split("\n") if line.startswith("data: ")
    ]
    return [json.loads(line) for line in lines if line != "[DONE]"]


class Bodies:
    """Makes values for schemas of the document: most fit, and those that do not are useful too."""

    def __init__(self, document: Mapping[str, Any], numbers: random.Random) -> None:
        self.document = document
        self.numbers = numbers

    def fitting(self, schema: Mapping[str, Any], depth: int = 0) -> Any:
        """A value for a schema. Where `not` forbids it, it may not fit."""
        schema = self._resolved(schema)
        if options := schema.get("enum", [schema["const"]] if "const" in schema else []):
            return self.numbers.choice(options)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self.numbers.choice([kind[0], kind[0], kind[0], *kind])
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                low, high = schema.get("minItems", 0), min(schema.get("maxItems", 4), 4)
                count = self.numbers.randint(low, max(low, high - depth // 2))
                return [self.fitting(schema["items"], depth + 1) for _ in range(count)]
            case "string":
                return self._text(schema)
            case "integer" | "number":
                return self._number(schema, kind)
            case "boolean":
                return self.numbers.random() < 0.5
            case "null":
                return None
        return self.junk(depth)

    def junk(self, depth: int = 0) -> Any:
        """Any JSON value, and now and then a number that JSON does not have."""
        draw = self.numbers.random()
        if depth < 4 and draw < 0.12:
            return [self.junk(depth + 1) for _ in range(self.numbers.randrange(3))]
        if depth < 4 and draw < 0.3:
            names = self.numbers.sample(("type", "name", "a", "content", "text", "id"), 2)
            return {name: self.junk(depth + 1) for name in names}
        if draw < 0.32:
            return self.numbers.choice([math.nan, math.inf])
        return self.numbers.choice([None, True, False, *TEXTS, *NUMBERS])

    def broken(self, value: Any) -> Any:
        """A copy with something else at one place, which need not be wrong."""
        place = self.numbers.choice(list(places(value)))
        return with_value(value, place, self.junk(depth=2))

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while True:
            if "$ref" in schema:
                name = schema["$ref"].rpartition("/")[2]
                schema = self.document["components"]["schemas"][name]
            elif "anyOf" in schema:
                schema = _merged(schema, self.numbers.choice(schema["anyOf"]))
            else:
                return schema

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        known, required = schema.get("properties", {}), schema.get("required", ())
        odds = 0.12 if len(known) > 10 else 0.5
        made = {
            name: self.fitting(known[name], depth + 1)
            for name in known
            if name in required or self.numbers.random() < odds
        }
        if isinstance(more := schema.get("additionalProperties"), dict):
            for _ in range(self.numbers.randrange(3)):
                made[str(self.numbers.randrange(200))] = self.fitting(more, depth + 1)
        elif self.numbers.random() < 0.1 and "maxProperties" not in schema:
            made["bogus"] = self.junk(depth + 1)
        return made

    def _text(self, schema: Mapping[str, Any]) -> str:
        return self.numbers.choice(
            [text for text in TEXTS if len(text) >= schema.get("minLength", 0)]
        )

    def _number(self, schema: Mapping[str, Any], kind: str) -> float:
        low = schema.get("minimum", -1000)
        high = schema.get("maximum", max(low, 0) + 1000)
        edges = [low, high, self.numbers.randint(math.ceil(low), math.floor(high))]
        return self.numbers.choice(
            edges if kind == "integer" else [*edges, self.numbers.uniform(low, high)]
        )


def _merged(schema: Mapping[str, Any], option: Mapping[str, Any]) -> dict[str, Any]:
    properties = {**schema.get("properties", {}), **option.get("properties", {})}
    merged = {name: value for name, value in schema.items() if name != "anyOf"} | dict(option)
    return {**merged, "properties": properties} if properties else merged


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, as a path of keys."""
    yield here
    children: Any = value.items() if isinstance(value, dict) else ()
    children = enumerate(value) if isinstance(value, list) else children
    for key, child in children:
        yield from places(child, (*here, key))


def with_value(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """A copy of a JSON value with something else at one place."""
    if not place:
        return new
    copied = value.copy()
    copied[place[0]] = with_value(value[place[0]], place[1:], new)
    return copied


def closed(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with no room in its schemas for members that it does not name."""
    copied: dict[str, Any] = copy.deepcopy(dict(document))
    _close(copied["components"]["schemas"])
    _close(copied["paths"])
    return copied


def _close(value: object) -> None:
    if isinstance(value, list):
        for child in value:
            _close(child)
    elif isinstance(value, dict):
        for child in value.values():
            _close(child)
        if value.get("type") == "object" and isinstance(value.get("properties"), dict):
            value.setdefault("additionalProperties", False)


DOCUMENT: dict[str, Any] = json.loads(json.dumps(document()))
CLOSED = closed(DOCUMENT)


def bodies_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """By path, the schema of the JSON body that a route of a model's protocol takes."""
    return {
        path: told["post"]["requestBody"]["content"][JSON]["schema"]
        for path, told in document["paths"].items()
        if path.startswith("/v1/") and "requestBody" in told.get("post", {})
        if told["post"]["tags"] != ["Adapters"]
    }


@cache
def answers(path: str, status: int, media_type: str = JSON, *, method: str = "post") -> Any:
    """The judge of a route's answers, which lets no member pass that is not in the document."""
    content = CLOSED["paths"][path][method]["responses"][str(status)]["content"]
    return judge(CLOSED, content[media_type]["schema"])
