"""Objects: listed members, others, names and numbers."""

from tests.plugins.schema_battery.case import CLOSED, MEANT, ORDER, enforced, in_part, not_at_all

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
PERSON = {"name": STRING, "age": INTEGER}


def of_object(**keywords):
    return {"type": "object", **keywords}


MEMBERS = [
    enforced(
        "required and closed",
        of_object(properties=PERSON, required=["name", "age"], additionalProperties=False),
        [{"name": "x", "age": 1}],
        [{}, {"name": "x"}, {"name": 1, "age": 1}, {"name": "x", "age": 1, "more": 1}],
        broken=['{"name":"x","age":1', '{"name":"x" "age":1}', '{"name":"x","age":1,}'],
        unsaid={ORDER: [{"age": 1, "name": "x"}]},
    ),
    enforced(
        "some required",
        of_object(properties={**PERSON, "x": {}}, required=["age"]),
        [{"age": 1}, {"name": "x", "age": 1}, {"age": 1, "x": []}],
        [{}, {"name": "x"}],
        unsaid={CLOSED: [{"age": 1, "other": 1}]},
    ),
    enforced(
        "none required",
        of_object(properties=PERSON, additionalProperties=False),
        [{}, {"name": "x"}, {"age": 1}, {"name": "x", "age": 1}],
        [{"more": 1}, {"name": None}],
        broken=["{,}", '{,"age":1}'],
    ),
    enforced(
        "required without being listed",
        of_object(required=["a", "b"]),
        [{"a": 1, "b": None}, {"a": 1, "b": 2, "c": 3}],
        [{}, {"a": 1}, {"b": 1}],
    ),
    enforced(
        "required beside listed ones",
        of_object(properties={"a": INTEGER}, required=["b"]),
        [{"b": []}, {"a": 1, "b": "x"}],
        [{"a": 1}, {"a": "x", "b": 1}],
    ),
    enforced(
        "required, and the type is meant",
        {"required": ["a"]},
        [{"a": 1}],
        [{}, {"b": 1}],
        unsaid={MEANT: [1, "x", []]},
    ),
    enforced(
        "open to anything",
        of_object(properties={"a": INTEGER}, additionalProperties=True),
        [{}, {"a": 1, "b": "x"}, {"b": {"c": []}}],
        [{"a": "x"}, []],
        broken=['{"a":1,"a":"x"}', r'{"\u0061":"x"}', r'{"b":1,"\u0061":"x"}'],
    ),
    enforced(
        "a map of integers",
        of_object(additionalProperties=INTEGER),
        [{}, {"a": 1, "é": 2, "": 3, 'q"': 4}],
        [{"a": "x"}, {"a": 1, "b": None}],
        spellings=[r'{"\u00e9\n":1}'],
    ),
    enforced("no members at all", of_object(additionalProperties=False), [{}], [{"a": 1}]),
    enforced(
        "listed ones and integers",
        of_object(properties={"a": STRING}, additionalProperties=INTEGER),
        [{"a": "x", "b": 1}, {"b": 1}, {"ab": 1}],
        [{"a": 1}, {"b": "x"}],
        broken=['{"a":"x","a":1}'],
    ),
    enforced(
        "names that need escapes",
        of_object(
            properties={'q"\\\n': INTEGER, "": STRING, "$ref": STRING, "状态": INTEGER},
            required=['q"\\\n', "", "$ref", "状态"],
        ),
        [{'q"\\\n': 1, "": "x", "$ref": "y", "状态": 2}],
        [{"": "x"}],
    ),
    enforced(
        "a name that must not be there",
        of_object(properties={"a": False, "b": INTEGER}),
        [{}, {"b": 1}],
        [{"a": 1}, {"a": None, "b": 1}],
    ),
    enforced(
        "only a name that must not be there",
        of_object(properties={"a": False}),
        [{}, {"b": 1}],
        [{"a": 1}],
    ),
    enforced(
        "objects in objects",
        of_object(
            properties={"a": of_object(properties={"b": of_object(properties={"c": INTEGER})})}
        ),
        [{}, {"a": {}}, {"a": {"b": {"c": 1}}}],
        [{"a": {"b": {"c": "x"}}}, {"a": 1}],
    ),
    enforced(
        "a member that is required and impossible in a list",
        {"type": "array", "items": of_object(properties={"a": False}, required=["a"])},
        [[]],
        [[{"a": 1}], [{}]],
    ),
]

NAMES = [
    enforced(
        "members by pattern",
        of_object(patternProperties={"^x_": INTEGER}, additionalProperties=False),
        [{}, {"x_1": 1, "x_": 2}],
        [{"x_1": "a"}, {"y": 1}],
    ),
    enforced(
        "members by pattern, and the others",
        of_object(
            patternProperties={"^x_": INTEGER, "_y$": {"minimum": 5}}, additionalProperties=STRING
        ),
        [{"x_1": 1, "other": "a", "a_y": 5}, {"x_y": 7}],
        [{"x_1": "a"}, {"other": 1}, {"a_y": 4}, {"x_y": 4}],
    ),
    enforced(
        "a listed name that a pattern matches",
        of_object(
            properties={"x_a": {"type": "integer", "maximum": 9}},
            patternProperties={"^x_": {"type": "integer", "minimum": 5}},
        ),
        [{"x_a": 7}, {"x_b": 70}],
        [{"x_a": 4}, {"x_a": 10}, {"x_b": 4}],
        unsaid={CLOSED: [{"other": 1}]},
    ),
    enforced(
        "names of a length",
        of_object(propertyNames={"minLength": 1, "maxLength": 2}, required=["q"]),
        [{"q": 1}, {"q": 1, "ab": []}],
        [{"q": 1, "abc": 1}, {"q": 1, "": 1}],
    ),
    enforced(
        "names of a pattern",
        of_object(propertyNames={"pattern": "^[a-z]+$"}, additionalProperties=INTEGER),
        [{}, {"ab": 1}],
        [{"A": 1}, {"": 1}, {"ab": "x"}],
    ),
    enforced(
        "names of a list",
        of_object(propertyNames={"enum": ["a", "b"]}, additionalProperties=INTEGER),
        [{}, {"a": 1}, {"b": 1, "a": 2}],
        [{"c": 1}, {"a": "x"}],
    ),
    enforced("no name at all", of_object(propertyNames=False), [{}], [{"a": 1}, {"": 1}]),
    enforced(
        "names that are integers", of_object(propertyNames=INTEGER), [{}], [{"a": 1}, {"1": 1}]
    ),
    enforced("any name", of_object(propertyNames=STRING), [{}, {"a": 1}], [[]]),
]

NUMBERS = [
    enforced(
        "at least one of three",
        of_object(properties=dict.fromkeys("abc", INTEGER), minProperties=1),
        [{"a": 1}, {"c": 1}, {"a": 1, "b": 2, "c": 3}],
        [{}],
        unsaid={CLOSED: [{"d": 1}]},
    ),
    enforced(
        "two of three",
        of_object(properties=dict.fromkeys("abc", INTEGER), minProperties=2, maxProperties=2),
        [{"a": 1, "b": 2}, {"b": 1, "c": 2}],
        [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}],
    ),
    enforced(
        "at most one of any name",
        of_object(maxProperties=1),
        [{}, {"a": 1}],
        [{"a": 1, "b": 2}],
    ),
    enforced("at least one of any name", of_object(minProperties=1), [{"a": 1}], [{}]),
    enforced(
        "one more than is listed",
        of_object(
            properties={"a": INTEGER}, required=["a"], minProperties=2, additionalProperties=True
        ),
        [{"a": 1, "b": 2}],
        [{"a": 1}, {}],
    ),
    in_part(
        "minProperties",
        "two of any name",
        of_object(minProperties=2),
        [{"a": 1, "b": 2}],
        [{}, {"a": 1}],
    ),
    not_at_all(
        "no finite text",
        "more than are let in",
        of_object(minProperties=1, additionalProperties=False),
    ),
]

DEPENDENT = [
    enforced(
        "a member asks for another",
        of_object(properties=dict.fromkeys("abc", INTEGER), dependentRequired={"a": ["c"]}),
        [{}, {"b": 1}, {"a": 1, "c": 1}],
        [{"a": 1}, {"a": 1, "b": 1}],
    ),
    enforced(
        "dependencies of draft 7",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": dict.fromkeys("abc", INTEGER),
            "dependencies": {"a": ["b"], "c": {"required": ["a"]}},
        },
        [{}, {"b": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}],
        [{"a": 1}, {"c": 1}, {"b": 1, "c": 1}],
    ),
    enforced(
        "a member asks for a schema",
        of_object(
            properties={"card": STRING, "street": STRING, "fee": INTEGER},
            dependentSchemas={
                "card": {"required": ["street"], "properties": {"fee": {"minimum": 2}}}
            },
        ),
        [{}, {"street": "x", "fee": 1}, {"card": "x", "street": "y", "fee": 2}],
        [{"card": "x"}, {"card": "x", "street": "y", "fee": 1}],
    ),
    enforced(
        "a member that excludes another",
        of_object(
            properties=dict.fromkeys("ab", INTEGER),
            dependentSchemas={"a": {"properties": {"b": False}}},
        ),
        [{}, {"a": 1}, {"b": 1}],
        [{"a": 1, "b": 1}],
    ),
    enforced(
        "members left unevaluated",
        {
            "type": "object",
            "allOf": [{"properties": {"a": INTEGER}}],
            "properties": {"b": INTEGER},
            "unevaluatedProperties": False,
        },
        [{}, {"b": 1, "a": 1}],
        [{"c": 1}, {"a": "x"}],
    ),
    enforced(
        "members left unevaluated, of a kind",
        {
            "type": "object",
            "anyOf": [
                {"properties": {"a": INTEGER}, "required": ["a"]},
                {"patternProperties": {"^b": STRING}},
            ],
            "unevaluatedProperties": {"type": "null"},
        },
        [{"a": 1, "c": None}, {"b1": "x", "c": None}],
        [{"a": 1, "c": 1}, {"c": 1}],
    ),
    not_at_all(
        "properties of the schema must be", "properties as a list", of_object(properties=[])
    ),
    not_at_all(
        "required of the schema must be", "required as a truth value", of_object(required=True)
    ),
]

CASES = [*MEMBERS, *NAMES, *NUMBERS, *DEPENDENT]
