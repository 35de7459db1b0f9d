"""$ref, $defs, anchors, and schemas that hold themselves."""

from tests.plugins.schema_battery.case import enforced, in_part, not_at_all

INTEGER = {"type": "integer"}
NODE = {
    "type": "object",
    "properties": {"v": INTEGER, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    "required": ["v"],
    "additionalProperties": False,
}

CASES = [
    enforced(
        "a definition",
        {"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer", "minimum": 3}}},
        [3],
        [2, "x"],
    ),
    enforced(
        "a definition of draft 7",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "array",
            "items": {"$ref": "#/definitions/n"},
            "definitions": {"n": {"type": "integer", "minimum": 3}},
        },
        [[], [3]],
        [[2]],
    ),
    enforced(
        "a reference and more",
        {"$ref": "#/$defs/n", "maximum": 5, "$defs": {"n": {"type": "integer", "minimum": 3}}},
        [3, 5],
        [2, 6],
    ),
    enforced(
        "a reference to a reference",
        {
            "$ref": "#/$defs/a",
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": INTEGER},
        },
        [1],
        ["x"],
    ),
    enforced(
        "a tree",
        {"$ref": "#/$defs/node", "$defs": {"node": NODE}},
        [{"v": 1}, {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}, {"v": 4}]}],
        [{"kids": []}, {"v": 1, "kids": [1]}, {"v": 1, "kids": [{"v": "x"}]}],
    ),
    enforced(
        "a list with an end",
        {
            "$ref": "#/$defs/l",
            "$defs": {
                "l": {
                    "type": "object",
                    "properties": {
                        "head": INTEGER,
                        "tail": {"anyOf": [{"$ref": "#/$defs/l"}, {"type": "null"}]},
                    },
                    "required": ["head", "tail"],
                    "additionalProperties": False,
                }
            },
        },
        [{"head": 1, "tail": None}, {"head": 1, "tail": {"head": 2, "tail": None}}],
        [{"head": 1}, {"head": 1, "tail": {"head": 2}}],
    ),
    enforced(
        "two that hold one another",
        {
            "$ref": "#/$defs/even",
            "$defs": {
                "even": {"type": "array", "items": {"$ref": "#/$defs/odd"}},
                "odd": {
                    "type": "object",
                    "additionalProperties": {"$ref": "#/$defs/even"},
                },
            },
        },
        [[], [{}], [{"a": [{"b": []}]}]],
        [[[]], [{"a": {}}]],
    ),
    enforced(
        "the root itself",
        {"type": "array", "items": {"$ref": "#"}, "maxItems": 2},
        [[], [[], [[]]]],
        [[1], [[], [], []]],
    ),
    enforced(
        "a name for a place",
        {"type": "array", "items": {"$ref": "#n"}, "$defs": {"x": {"$anchor": "n", "const": 1}}},
        [[], [1]],
        [[2]],
    ),
    enforced(
        "a reference by the schema's own name",
        {
            "$id": "https://example.com/s",
            "type": "array",
            "items": {
                "anyOf": [
                    {"$ref": "https://example.com/s#/definitions/a~1b%20c"},
                    {"$ref": "https://example.com/s"},
                ]
            },
            "definitions": {"a/b c": {"const": 2}},
        },
        [[], [2], [[2], []]],
        [[3], 2],
    ),
    enforced(
        "a reference to a member's schema",
        {
            "type": "object",
            "properties": {"a": {"type": "integer", "maximum": 3}, "b": {"$ref": "#/properties/a"}},
        },
        [{"a": 1, "b": 3}],
        [{"b": 4}],
    ),
    enforced(
        "a reference into a list",
        {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/anyOf/0"}}]},
        [None, [None]],
        [[1]],
    ),
    enforced(
        "a member that is called $ref",
        {"type": "object", "properties": {"$ref": {"type": "string"}, "$defs": INTEGER}},
        [{"$ref": "#/x", "$defs": 1}],
        [{"$ref": 1}],
    ),
    enforced(
        "a base and what extends it",
        {
            "allOf": [{"$ref": "#/$defs/base"}],
            "properties": {"b": INTEGER},
            "required": ["b"],
            "unevaluatedProperties": False,
            "$defs": {"base": {"type": "object", "properties": {"a": INTEGER}, "required": ["a"]}},
        },
        [{"b": 1, "a": 2}],
        [{"b": 1}, {"a": 1}, {"b": 1, "a": 2, "c": 3}],
    ),
    enforced(
        "a reference that moves, to a place that does not",
        {
            "$dynamicRef": "#node",
            "$defs": {
                "n": {
                    "$dynamicAnchor": "node",
                    "type": "array",
                    "items": {"$dynamicRef": "#node"},
                }
            },
        },
        [[], [[], [[]]]],
        [1, [1]],
    ),
    enforced(
        "a reference of draft 2019-09",
        {
            "$schema": "https://json-schema.org/draft/2019-09/schema",
            "$recursiveAnchor": True,
            "type": "array",
            "items": {"$recursiveRef": "#"},
        },
        [[], [[], [[]]]],
        [1, [1]],
    ),
    not_at_all(
        "no finite text",
        "a reference to itself",
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
    ),
    not_at_all(
        "no finite text",
        "references in a ring",
        {
            "$ref": "#/$defs/A",
            "$defs": {
                "A": {"allOf": [{"$ref": "#/$defs/B"}]},
                "B": {"anyOf": [{"$ref": "#/$defs/A"}]},
            },
        },
    ),
    not_at_all(
        "no finite text",
        "a chain without an end",
        {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]},
    ),
    not_at_all(
        "$ref '#/$defs/x' points to nothing", "a reference to nothing", {"$ref": "#/$defs/x"}
    ),
    not_at_all("$ref 'b.json' points outside", "a reference to a file", {"$ref": "b.json"}),
    not_at_all(
        "$ref 'https://example.com/x#/y' points outside",
        "a reference to the network",
        {"items": {"$ref": "https://example.com/x#/y"}},
    ),
    not_at_all("$ref of the schema must be a string", "a reference that is none", {"$ref": 1}),
    in_part(
        "$dynamicRef",
        "a reference that moves between two places",
        {
            "type": "array",
            "items": {"$dynamicRef": "#t"},
            "$defs": {
                "a": {"$dynamicAnchor": "t", "type": "integer"},
                "b": {"$id": "https://example.com/b", "$dynamicAnchor": "t", "type": "string"},
            },
        },
        [[], [1]],
        [{}],
        missed=[["x"]],
    ),
    not_at_all(
        "$ref 'b' points outside",
        "a reference to a schema with a name of its own",
        {"$id": "https://example.com/a", "$ref": "b", "$defs": {"b": {"$id": "b"}}},
    ),
]
