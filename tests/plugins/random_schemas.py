"""Random JSON Schemas, small ones of every kind that grammars enforce."""

import copy
import random
from typing import Any

NAMES = ["a", "b", "ab", "é", 'q"', "x_1", "zz"]
VALUES: list[Any] = ["a", "ab", "é", "x\ny", '"q"', "😀", 1, 2.5, None, True, [], {"q": [1]}]
FORMATS = ["date", "time", "date-time", "uuid", "ipv4", "email"]


def random_schema(numbers: random.Random) -> dict[str, Any]:
    """Return a schema of keywords that are enforced at least at times, references included."""
    schema = {"$defs": {"d": _schema(numbers, 1)}, "allOf": [_schema(numbers, 0)]}
    return copy.deepcopy(schema)  # whoever spoils it spoils no other


def _schema(numbers: random.Random, depth: int) -> dict[str, Any]:
    scalars = [_string, _number, _listed, _types, _format]
    nested = [_array, _object, _object, _choice, _conjunction, _exclusion, _condition, _overlap]
    make = numbers.choice(scalars if depth > 2 else scalars + nested + nested)
    return make(numbers, depth)


def _inside(numbers: random.Random, depth: int) -> Any:
    """A schema for what another holds; references only here, so that none is its own target."""
    return {"$ref": "#/$defs/d"} if numbers.random() < 0.15 else _schema(numbers, depth + 1)


def _maybe(numbers: random.Random, share: float, **keywords: Any) -> dict[str, Any]:
    return keywords if numbers.random() < share else {}


def _string(numbers: random.Random, depth: int) -> dict[str, Any]:
    least = numbers.randrange(3)
    pattern = numbers.choice(["^a", "b$", "[0-9]+", "^x.*y$"])
    return {
        "type": "string",
        **_maybe(numbers, 0.5, minLength=least),
        **_maybe(numbers, 0.5, maxLength=least + 3),
        **_maybe(numbers, 0.2, pattern=pattern),
    }


def _number(numbers: random.Random, depth: int) -> dict[str, Any]:
    least = numbers.choice([-5, 0, 1, 2.5, 17, -0.75])
    upper = numbers.choice(["maximum", "exclusiveMaximum"])
    return {
        "type": numbers.choice(["integer", "number"]),
        **_maybe(numbers, 0.5, minimum=least),
        **_maybe(numbers, 0.5, **{upper: least + numbers.choice([1, 3, 10.25, 100])}),
        **_maybe(numbers, 0.2, multipleOf=numbers.choice([1, 3, 0.5, 7])),
    }


def _listed(numbers: random.Random, depth: int) -> dict[str, Any]:
    if numbers.random() < 0.3:
        return {"const": numbers.choice(VALUES)}
    return {"enum": numbers.sample(VALUES, numbers.randrange(1, 5))}


def _types(numbers: random.Random, depth: int) -> dict[str, Any]:
    return {"type": numbers.sample(["string", "null", "boolean", "integer"], 2)}


def _format(numbers: random.Random, depth: int) -> dict[str, Any]:
    return {"type": "string", "format": numbers.choice(FORMATS)}


def _array(numbers: random.Random, depth: int) -> dict[str, Any]:
    least = numbers.randrange(3)
    prefix = [_inside(numbers, depth) for _ in range(numbers.randrange(1, 3))]
    items = False if numbers.random() < 0.15 else _inside(numbers, depth)
    return {
        "type": "array",
        **_maybe(numbers, 0.3, prefixItems=prefix),
        **_maybe(numbers, 0.8, items=items),
        **_maybe(numbers, 0.5, minItems=least),
        **_maybe(numbers, 0.6, maxItems=least + numbers.randrange(3)),
    }


def _object(numbers: random.Random, depth: int) -> dict[str, Any]:
    names = numbers.sample(NAMES, numbers.randrange(1, 5))
    others = numbers.choice([False, True, {"type": "integer"}])
    required = [name for name in (*names, "extra") if numbers.random() < 0.4]
    return {
        "type": "object",
        "properties": {name: _inside(numbers, depth) for name in names},
        "required": required,
        **_maybe(numbers, 0.4, additionalProperties=others),
        **_maybe(numbers, 0.15, patternProperties={"^x_": {"type": "boolean"}}),
        **_maybe(numbers, 0.15, propertyNames={"maxLength": 3}),
        **_maybe(numbers, 0.2, maxProperties=numbers.randrange(5)),
        **_maybe(numbers, 0.1, minProperties=numbers.randrange(4)),
        **_maybe(numbers, 0.1, dependentRequired={names[0]: [names[-1]]}),
        **_maybe(numbers, 0.1, dependentSchemas={names[-1]: _part(numbers)}),
        **_maybe(numbers, 0.1, unevaluatedProperties=numbers.choice([False, {"type": "null"}])),
    }


def _part(numbers: random.Random) -> dict[str, Any]:
    """A schema that says one thing, of a kind that its opposite can be said of too."""
    name = numbers.choice(NAMES)
    return numbers.choice(
        [
            {"required": [name]},
            {"properties": {name: {"type": "integer"}}},
            {"properties": {name: {"const": numbers.choice(VALUES[:10])}}, "required": [name]},
            {"patternProperties": {"^a": {"type": "boolean"}}},
            {"patternProperties": {"b": True}, "additionalProperties": {"type": "null"}},
            {"additionalProperties": False},
            {"enum": numbers.sample(VALUES[:10], 3)},
            {"const": numbers.choice(VALUES)},
            {"type": numbers.sample(["string", "null", "boolean", "object"], 2)},
            {"minimum": numbers.choice([0, 1.5, -3])},
            {"exclusiveMaximum": 3, "minLength": 2},
            {"maxLength": 1, "maxItems": 1},
            {"pattern": "^[a-m]"},
            {"anyOf": [{"required": ["a"]}, {"maxProperties": 1}]},
            {"not": {"required": [name]}},
        ]
    )


def _exclusion(numbers: random.Random, depth: int) -> dict[str, Any]:
    return {**_schema(numbers, depth + 1), "not": _part(numbers)}


def _condition(numbers: random.Random, depth: int) -> dict[str, Any]:
    return {
        **_schema(numbers, depth + 1),
        "if": _part(numbers),
        **_maybe(numbers, 0.7, then=_part(numbers)),
        **_maybe(numbers, 0.7, **{"else": _part(numbers)}),
    }


def _overlap(numbers: random.Random, depth: int) -> dict[str, Any]:
    branches = [_part(numbers) for _ in range(numbers.randrange(1, 4))]
    return {**_schema(numbers, depth + 1), "oneOf": branches}


def _choice(numbers: random.Random, depth: int) -> dict[str, Any]:
    return {"anyOf": [_schema(numbers, depth + 1) for _ in range(numbers.randrange(1, 4))]}


def _conjunction(numbers: random.Random, depth: int) -> dict[str, Any]:
    return {"allOf": [_schema(numbers, depth + 1) for _ in range(2)]}
