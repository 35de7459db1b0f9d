"""Arrays: items, their number, and tuples."""

from tests.plugins.schema_battery.case import enforced, in_part, not_at_all

INTEGER = {"type": "integer"}
STRING = {"type": "string"}

CASES = [
    enforced(
        "items of one kind",
        {"type": "array", "items": INTEGER},
        [[], [1], [1, 2, 3]],
        [["1"], [1, 0.5], {}],
    ),
    enforced(
        "at least two items",
        {"type": "array", "items": INTEGER, "minItems": 2},
        [[1, 2], [1] * 9],
        [[], [1]],
    ),
    enforced(
        "at most two items",
        {"type": "array", "items": INTEGER, "maxItems": 2},
        [[], [1], [1, 2]],
        [[1, 2, 3]],
        broken=["[1,]", "[,1]", "[1 2]"],
    ),
    enforced(
        "exactly three items",
        {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
        [[1, 2.5, 3]],
        [[1, 2], [1, 2, 3, 4]],
    ),
    enforced("an array that is not empty", {"minItems": 1, "type": "array"}, [[1], [[]]], [[]]),
    enforced("an array that is empty", {"type": "array", "maxItems": 0}, [[]], [[1], [None]]),
    enforced("an array without items", {"type": "array", "items": False}, [[]], [[1]]),
    enforced("an array of anything", {"type": "array", "items": True}, [[], [1, "x", {}]], [{}]),
    enforced(
        "an array of arrays",
        {"type": "array", "items": {"type": "array", "items": STRING, "minItems": 1}},
        [[], [["a"], ["b", "c"]]],
        [[[]], ["a"], [[1]]],
    ),
    enforced(
        "many items",
        {"type": "array", "items": {"type": "boolean"}, "minItems": 40, "maxItems": 60},
        [[True] * 40, [False] * 60],
        [[True] * 39, [False] * 61],
    ),
    enforced(
        "a tuple and no more",
        {"type": "array", "prefixItems": [INTEGER, STRING], "items": False, "minItems": 2},
        [[1, "a"]],
        [[1], ["a", 1], [1, "a", 2], []],
    ),
    enforced(
        "a tuple with a rest",
        {"type": "array", "prefixItems": [INTEGER], "items": STRING},
        [[], [1], [1, "a", "b"]],
        [["a"], [1, 2]],
    ),
    enforced(
        "an open tuple",
        {"type": "array", "prefixItems": [INTEGER, STRING]},
        [[], [1], [1, "a", None]],
        [["a"], [1, 1]],
    ),
    enforced(
        "a tuple longer than allowed",
        {"type": "array", "prefixItems": [INTEGER, STRING, INTEGER], "maxItems": 2},
        [[], [1, "a"]],
        [[1, "a", 2]],
    ),
    enforced(
        "a tuple of draft 7",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "array",
            "items": [STRING, INTEGER],
            "additionalItems": False,
            "minItems": 1,
        },
        [["a"], ["a", 1]],
        [[], [1], ["a", 1, 2]],
    ),
    enforced(
        "a tuple of draft 7 with a rest",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "array",
            "items": [STRING],
            "additionalItems": INTEGER,
        },
        [[], ["a"], ["a", 1, 2]],
        [[1], ["a", "b"]],
    ),
    enforced(
        "items left unevaluated",
        {"type": "array", "prefixItems": [INTEGER], "unevaluatedItems": False},
        [[], [1]],
        [[1, 2], ["a"]],
    ),
    enforced(
        "items that a branch evaluates",
        {
            "type": "array",
            "anyOf": [{"prefixItems": [INTEGER, INTEGER]}, {"prefixItems": [STRING]}],
            "unevaluatedItems": {"type": "null"},
        },
        [[1, 2, None], ["a", None], []],
        [[1, "a"], ["a", 1]],
    ),
    enforced(
        "items of which all are evaluated",
        {"type": "array", "items": INTEGER, "unevaluatedItems": False},
        [[1, 2]],
        [["a"]],
    ),
    enforced(
        "at most one item is always unique",
        {"type": "array", "items": INTEGER, "maxItems": 1, "uniqueItems": True},
        [[], [1]],
        [[1, 2]],
    ),
    enforced(
        "unique items of a list",
        {
            "type": "array",
            "items": {"type": "string", "enum": ["a", "b", "ab", "c"]},
            "minItems": 1,
            "maxItems": 3,
            "uniqueItems": True,
        },
        [["a"], ["b", "a"], ["ab", "a", "b"], ["c", "ab", "a"]],
        [[], ["a", "a"], ["a", "b", "a"], ["d"], ["a", "b", "ab", "c"]],
    ),
    enforced(
        "unique items of several kinds",
        {
            "type": "array",
            "items": {"anyOf": [{"enum": [1, 12, 1.0, "x"]}, {"type": ["boolean", "null"]}]},
            "uniqueItems": True,
        },
        [[], [12, 1], [1, True, False, None], ["x", 12, 1]],
        [[1, 1], [12, 12], [True, 1, True], [2]],
    ),
    in_part(
        "uniqueItems",
        "unique items of a long list",
        {"type": "array", "items": {"enum": list(range(20))}, "uniqueItems": True},
        [[1, 2]],
        [[20]],
        missed=[[1, 1]],
    ),
    in_part(
        "uniqueItems",
        "unique items",
        {"type": "array", "items": INTEGER, "minItems": 1, "uniqueItems": True},
        [[1], [1, 2]],
        [[], ["a"]],
        missed=[[1, 1]],
    ),
    in_part(
        "contains",
        "an item of some kind",
        {"type": "array", "items": {"type": ["string", "integer"]}, "contains": INTEGER},
        [["a", 1], [1]],
        [[None], {}],
        missed=[["a"]],
    ),
    in_part(
        "contains, minContains, maxContains",
        "some items of some kind",
        {"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 3},
        [[1, 1], [0, 1, 1, 1]],
        [{}, 1],
        missed=[[1], [1] * 4],
    ),
    not_at_all(
        "no finite text",
        "crossed numbers of items",
        {"type": "array", "minItems": 2, "maxItems": 1},
    ),
    not_at_all(
        "minItems of the schema must be a whole number", "a negative number", {"minItems": -1}
    ),
    not_at_all("items of the schema must be", "items that are no schema", {"items": "string"}),
]
