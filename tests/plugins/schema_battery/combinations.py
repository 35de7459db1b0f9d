"""allOf, anyOf, oneOf, not and if, alone and with one another."""

from tests.plugins.schema_battery.case import ONE_BRANCH, enforced, in_part, not_at_all

INTEGER = {"type": "integer"}
STRING = {"type": "string"}


def kind(kind_name, **properties):
    """An object told from others by its member `kind`."""
    return {
        "type": "object",
        "properties": {"kind": {"const": kind_name}, **properties},
        "required": ["kind", *properties],
        "additionalProperties": False,
    }


CAT, DOG = kind("cat", lives=INTEGER), kind("dog", name=STRING)

ANY_OF = [
    enforced("a nullable string", {"anyOf": [STRING, {"type": "null"}]}, ["x", None], [1, []]),
    enforced(
        "a nullable object",
        {"anyOf": [{"type": "object", "properties": {"a": INTEGER}}, {"type": "null"}]},
        [None, {}, {"a": 1}],
        [{"a": "x"}, 0],
    ),
    enforced(
        "branches that overlap",
        {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "string", "pattern": "^a"}]},
        ["", "bc", "abc", "a"],
        ["bcd"],
    ),
    enforced(
        "branches within other keywords",
        {
            "type": "object",
            "properties": {"id": INTEGER},
            "required": ["id"],
            "anyOf": [
                {"properties": {"kind": {"const": "a"}, "n": INTEGER}, "required": ["n"]},
                {"properties": {"kind": {"const": "b"}, "s": STRING}, "required": ["s"]},
            ],
        },
        [{"id": 1, "kind": "a", "n": 2}, {"id": 1, "s": "x"}],
        [{"id": 1}, {"id": 1, "kind": "a", "s": "x"}, {"kind": "a", "n": 2}],
    ),
    enforced(
        "one member or another",
        {
            "type": "object",
            "properties": {"a": INTEGER, "b": INTEGER},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        [{"a": 1}, {"b": 1}, {"a": 1, "b": 1}],
        [{}, {"a": "x"}],
    ),
    enforced(
        "branches in branches",
        {"anyOf": [{"anyOf": [INTEGER, {"type": "null"}]}, {"allOf": [{"anyOf": [STRING]}]}]},
        [1, None, "x"],
        [0.5, [], True],
    ),
    enforced("a branch of nothing", {"anyOf": [False, INTEGER]}, [1], ["x"]),
    enforced("a branch of everything", {"anyOf": [True, INTEGER]}, [1, "x", None]),
    enforced(
        "a union told apart",
        {"anyOf": [CAT, DOG]},
        [{"kind": "cat", "lives": 9}, {"kind": "dog", "name": "x"}],
        [{"kind": "cat", "name": "x"}, {"kind": "cow"}, {"kind": "dog", "lives": 9}],
    ),
    enforced(
        "unevaluated members of two branches",
        {
            "anyOf": [
                {"type": "object", "properties": {"a": INTEGER}},
                {"type": "object", "properties": {"b": INTEGER}},
            ],
            "unevaluatedProperties": False,
        },
        [{}, {"a": 1}, {"b": 1}],
        [{"c": 1}],
        unsaid={ONE_BRANCH: [{"a": 1, "b": 1}]},
    ),
]

ONE_OF = [
    enforced("one of two types", {"oneOf": [STRING, INTEGER]}, ["x", 1], [None, 0.5]),
    enforced(
        "one of two kinds",
        {"oneOf": [CAT, DOG]},
        [{"kind": "cat", "lives": 9}, {"kind": "dog", "name": "x"}],
        [{"kind": "cat"}, {"kind": "cat", "name": "x"}],
    ),
    enforced(
        "one of two kinds, the type beside",
        {
            "type": "object",
            "required": ["kind"],
            "oneOf": [
                {"properties": {"kind": {"const": "a"}, "n": INTEGER}},
                {"properties": {"kind": {"enum": ["b", "c"]}, "s": STRING}},
            ],
        },
        [{"kind": "a", "n": 1}, {"kind": "c", "s": "x"}, {"kind": "b"}],
        [{"kind": "d"}, {}, {"kind": "b", "s": 1}],
    ),
    enforced(
        "exactly one member",
        {
            "type": "object",
            "properties": {"a": INTEGER, "b": INTEGER},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        [{"a": 1}, {"b": 1}],
        [{}, {"a": 1, "b": 1}],
    ),
    enforced(
        "one of two ranges",
        {"type": "integer", "oneOf": [{"maximum": 5}, {"minimum": 3}]},
        [2, 6, -7],
        [3, 4, 5],
    ),
    enforced(
        "one of two lengths",
        {"oneOf": [STRING, {"type": "string", "minLength": 2}]},
        ["", "a"],
        ["ab", 1],
    ),
    enforced("one of two that are the same", {"oneOf": [STRING, {}]}, [1, None, []], ["x"]),
    in_part(
        "oneOf",
        "one of two that cannot be told apart",
        {
            "oneOf": [
                {"type": "array", "items": INTEGER},
                {"type": "array", "items": {"type": "number"}, "maxItems": 2},
            ]
        },
        [[0.5], [1, 2, 3]],
        [{}, 1],
        missed=[[3]],
    ),
]

ALL_OF = [
    enforced(
        "bounds from two sides",
        {"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 3}]},
        [2, 3],
        [1, 4, "x"],
    ),
    enforced(
        "every bound twice",
        {
            "allOf": [
                {"type": "array", "items": {"minLength": 1, "maxLength": 9}, "minItems": 1},
                {"items": {"type": "string", "minLength": 2, "maxLength": 3}, "maxItems": 2},
                {"items": {"pattern": "^a"}, "minItems": 0, "maxItems": 5},
            ]
        },
        [["ab"], ["abc", "aa"]],
        [[], ["a"], ["abcd"], ["bc"], ["ab"] * 3],
    ),
    enforced(
        "members from two sides",
        {
            "allOf": [
                {"type": "object", "properties": {"a": INTEGER}, "required": ["a"]},
                {"properties": {"a": {"maximum": 5}, "b": STRING}, "required": ["b"]},
            ]
        },
        [{"a": 5, "b": "x"}],
        [{"a": 6, "b": "x"}, {"a": 1}, {"b": "x"}],
    ),
    enforced(
        "a closed side",
        {
            "allOf": [
                {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
                {"properties": {"b": {}}},
            ]
        },
        [{}, {"a": 1}],
        [{"b": 1}, {"a": 1, "b": 1}],
    ),
    enforced(
        "a side closed but for a pattern",
        {
            "type": "object",
            "allOf": [
                {"patternProperties": {"^x": INTEGER}, "additionalProperties": False},
                {"properties": {"b": {}, "xb": {"minimum": 3}}},
            ],
        },
        [{}, {"x": 1}, {"xb": 3}],
        [{"b": 1}, {"x": "a"}, {"xb": 1}],
    ),
    enforced(
        "a closed side and a pattern",
        {
            "type": "object",
            "allOf": [
                {"properties": {"a": {}}, "additionalProperties": False},
                {"patternProperties": {"^y": {}, "^a": INTEGER}},
            ],
        },
        [{}, {"a": 1}],
        [{"y": 1}, {"a": "x"}],
    ),
    enforced(
        "a pattern on either side",
        {
            "type": "object",
            "allOf": [
                {"patternProperties": {"^x": True}, "additionalProperties": INTEGER},
                {"patternProperties": {"y$": {"type": ["string", "integer"]}}},
            ],
        },
        [{"x": None}, {"y": 1}, {"xy": "a"}],
        [{"y": "a"}, {"xy": None}, {"z": "a"}],
    ),
    enforced(
        "names and numbers from two sides",
        {
            "type": "object",
            "allOf": [
                {"propertyNames": {"maxLength": 2}, "minProperties": 1, "maxProperties": 9},
                {"propertyNames": {"pattern": "^a"}, "maxProperties": 1},
            ],
        },
        [{"a": 1}, {"ab": None}],
        [{}, {"b": 1}, {"abc": 1}, {"a": 1, "ab": 2}],
    ),
    enforced(
        "tuples from two sides",
        {
            "type": "array",
            "allOf": [
                {"prefixItems": [INTEGER], "items": STRING},
                {"prefixItems": [{"minimum": 3}, {"maxLength": 1}], "minItems": 2},
            ],
        },
        [[3, "a"], [4, "", "xyz"]],
        [[2, "a"], [3, "ab"], [3, 1], [3]],
    ),
    enforced(
        "steps, patterns and formats from two sides",
        {
            "allOf": [
                {"type": ["integer", "string"], "multipleOf": 4, "pattern": "^2", "format": "date"},
                {"multipleOf": 6, "pattern": "1$"},
            ]
        },
        [12, 24, "2024-01-01"],
        [4, 6, "2024-01-02", "1999-01-01", "2x1"],
    ),
    enforced(
        "steps of fractions from two sides",
        {"type": "number", "allOf": [{"multipleOf": 0.4}, {"multipleOf": 0.6}]},
        [0, 1.2, -2.4, 6],
        [0.4, 0.6, 1],
    ),
    enforced(
        "listed values from two sides",
        {"allOf": [{"enum": ["a", "b", 1]}, {"enum": ["b", 1.0, "c"]}]},
        ["b"],
        ["a", "c"],
        spellings=["1"],
    ),
    enforced(
        "a choice within all",
        {"allOf": [{"anyOf": [INTEGER, STRING]}, {"anyOf": [{"minimum": 5}, {"maxLength": 1}]}]},
        [5, "a"],
        [None],
    ),
    not_at_all("no finite text", "sides that exclude one another", {"allOf": [INTEGER, STRING]}),
    not_at_all("allOf of the schema must be a list", "allOf as an object", {"allOf": {}}),
]

NOT = [
    not_at_all("no finite text", "nothing at all", {"not": {}}),
    enforced("not nothing", {"not": False}, [1, "x", None]),
    enforced(
        "a member of no value",
        {"type": "object", "properties": {"a": {"not": {}}, "b": INTEGER}},
        [{}, {"b": 1}],
        [{"a": 1}],
    ),
    enforced("never null", {"not": {"type": "null"}}, ["x", 1, [None]], [None]),
    enforced(
        "no string of two words",
        {"type": "string", "not": {"enum": ["x", "yes"]}},
        ["", "y", "xx", "yess"],
        ["x", "yes"],
        broken=[r'"\u0078"', r'"y\u0065s"'],
    ),
    enforced(
        "no number of two",
        {"type": "integer", "minimum": 0, "not": {"enum": [0, 12, "x", None]}},
        [1, 2, 120],
        [0, 12],
    ),
    enforced(
        "not false", {"type": ["boolean", "null"], "not": {"const": False}}, [True, None], [False]
    ),
    enforced(
        "not both members",
        {"type": "object", "properties": {"a": {}, "b": {}}, "not": {"required": ["a", "b"]}},
        [{}, {"a": 1}, {"b": 1}],
        [{"a": 1, "b": 1}],
    ),
    enforced(
        "without a member",
        {"type": "object", "not": {"required": ["a"]}},
        [{}, {"b": 1}],
        [{"a": 1}],
    ),
    enforced(
        "what is refused is not evaluated",
        {
            "type": "object",
            "properties": {"b": INTEGER},
            "not": {"properties": {"a": {"const": 1}}, "required": ["a"]},
            "unevaluatedProperties": False,
        },
        [{}, {"b": 1}],
        [{"a": 1}, {"a": 2}],
    ),
    enforced(
        "what is refused is not listed",
        {"type": "object", "not": {"properties": {"a": {"const": 1}}, "required": ["a"]}},
        [{}, {"b": 1}, {"a": 2, "b": 1}],
        [{"a": 1}, {"a": 1, "b": 2}],
    ),
    enforced(
        "neither of two members",
        {
            "type": "object",
            "properties": {"a": {}, "b": {}, "c": {}},
            "not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        },
        [{}, {"c": 1}],
        [{"a": 1}, {"b": 1, "c": 1}],
    ),
    enforced(
        "outside of a range",
        {"type": "number", "not": {"minimum": 0, "maximum": 10}},
        [-0.5, 10.5],
        [0, 5, 10],
    ),
    enforced(
        "without a pattern",
        {"type": "string", "not": {"pattern": "[0-9]"}, "minLength": 1},
        ["ab"],
        ["a1", ""],
    ),
    enforced("not not", {"not": {"not": STRING}}, ["x"], [1, None]),
    in_part(
        "not",
        "no array of integers",
        {"type": "array", "not": {"items": INTEGER}},
        [["x"], [1, "x"]],
        [{}],
        missed=[[1], []],
    ),
    in_part(
        "not",
        "no date",
        {"type": "string", "not": {"format": "date"}},
        ["x"],
        [1],
        missed=["2024-01-01"],
    ),
]

PLACE = {
    "type": "object",
    "properties": {"country": {"enum": ["US", "NL"]}, "code": STRING},
    "required": ["country", "code"],
}
IF = [
    enforced(
        "if, then and else",
        {
            **PLACE,
            "if": {"properties": {"country": {"const": "US"}}},
            "then": {"properties": {"code": {"pattern": "^\\d{5}$"}}},
            "else": {"properties": {"code": {"pattern": "^\\d{4}$"}}},
        },
        [{"country": "US", "code": "12345"}, {"country": "NL", "code": "1234"}],
        [{"country": "US", "code": "1234"}, {"country": "NL", "code": "12345"}],
    ),
    enforced(
        "if and then",
        {
            "type": "object",
            "properties": {"a": {"type": "boolean"}, "b": INTEGER},
            "if": {"properties": {"a": {"const": True}}, "required": ["a"]},
            "then": {"required": ["b"]},
        },
        [{}, {"a": False}, {"a": True, "b": 1}, {"b": 1}],
        [{"a": True}],
    ),
    enforced(
        "if a type, then a bound",
        {
            "type": ["integer", "string"],
            "if": {"type": "string"},
            "then": {"minLength": 1},
            "else": {"minimum": 1},
        },
        ["x", 1],
        ["", 0],
    ),
    enforced(
        "several ifs",
        {
            "type": "object",
            "properties": {"k": {"enum": ["a", "b"]}, "x": INTEGER, "y": INTEGER},
            "required": ["k"],
            "allOf": [
                {"if": {"properties": {"k": {"const": "a"}}}, "then": {"required": ["x"]}},
                {"if": {"properties": {"k": {"const": "b"}}}, "then": {"required": ["y"]}},
            ],
        },
        [{"k": "a", "x": 1}, {"k": "b", "y": 1}],
        [{"k": "a", "y": 1}, {"k": "b", "x": 1}, {"k": "a"}],
    ),
    enforced(
        "if with nothing to follow", {"type": "string", "if": {"minLength": 2}}, ["", "xyz"], [1]
    ),
    enforced("then without if", {"type": "string", "then": {"minLength": 2}}, ["", "xyz"], [1]),
    in_part(
        "if",
        "if the items are integers",
        {"type": "array", "if": {"items": INTEGER}, "then": {"minItems": 1}},
        [[1], ["x"]],
        [{}],
        missed=[[]],
    ),
]

CASES = [*ANY_OF, *ONE_OF, *ALL_OF, *NOT, *IF]
