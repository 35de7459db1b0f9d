"""Each step mends one fault, and leaves the rest as it was."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.tools import repair
from inference.text.tools.repair import CUT_OFF_STEPS, ENVELOPE_STEPS, VALUE_STEPS, decode_leniently

CASES = {
    repair.strip_fence: [
        ("```json\n{}\n```", "{}\n"),
        ("```\n{}```", "{}"),
        ("Here:\n```json\n{}\n```\n", "{}\n"),
        ("```json\n{}", "{}"),
        ('{"a": "```"}', '{"a": "```"}'),
    ],
    repair.strip_prose: [
        ("Sure: {}", "{}"),
        ("[1] {}", "[1] {}"),
        ("a } {", "a } {"),
        ("nothing", "nothing"),
    ],
    repair.json_literals: [
        ("[True, False, None]", "[true, false, null]"),
        ("""["True", 'None', True]""", """["True", 'None', true]"""),
        ('["a \\" True"]', '["a \\" True"]'),
        ("[Trueish, xNone]", "[Trueish, xNone]"),
        ('["open True', '["open True'),
    ],
    repair.drop_trailing_commas: [
        ("[1, 2, ]", "[1, 2 ]"),
        ('{"a": 1,\n}', '{"a": 1\n}'),
        ('{"a": ",}"}', '{"a": ",}"}'),
        ("[1,,]", "[1,]"),
    ],
    repair.close_brackets: [
        ('{"a": [1, {"b": 2', '{"a": [1, {"b": 2}]}'),
        ('{"a": 1, "b"', '{"a": 1}'),
        ('{"a": 1, "b":', '{"a": 1}'),
        ('{"a": 1,', '{"a": 1}'),
        ('{"a": tru', "{}"),
        ("[1, nul", "[1]"),
        ("{", "{}"),
        ('{"a": "}"', '{"a": "}"}'),
        ('{"a": "x', '{"a": "x'),
        ('{"a": [1}', '{"a": [1}'),
        ("{}", "{}"),
        ("}", "}"),
    ],
    repair.close_cut_off: [
        ('{"a": "x', '{"a": "x"}'),
        ("{'a': 'x", "{'a': 'x'}"),
        ('{"a": "x\\', '{"a": "x"}'),
        ('{"a": "x\\\\', '{"a": "x\\\\"}'),
        ('{"a": "x\\u00e', '{"a": "x"}'),
        ('{"a": 1, "b', '{"a": 1}'),
        ('"x', '"x"'),
    ],
    repair.json_strings: [
        ("{'a': 'b'}", '{"a": "b"}'),
        ("""['it\\'s', "it's", 'say "hi"']""", """["it's", "it's", "say \\"hi\\""]"""),
        ("['\\d \\x41 \\n \\\\']", '["\\\\d A \\n \\\\"]'),
        ("it's", 'it"s'),
        ('["it\\\'s \\d \\n \\u00e9 \\/"]', '["it\'s \\\\d \\n \\u00e9 \\/"]'),
    ],
}


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [(step, *case) for step, cases in CASES.items() for case in cases],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_a_step_mends_its_fault_and_no_other(step, before, after):
    assert step(before) == after


@given(st.text("'\"\\{}[]:,`aTrueNone1 \n"))
def test_no_step_raises_whatever_the_text(text):
    for step in CASES:
        step(text)


@given(st.text("'\"\\{}[]:,`aTrueNone1 \n"))
def test_decoding_gives_a_value_or_a_value_error(text):
    for steps in (ENVELOPE_STEPS, CUT_OFF_STEPS, VALUE_STEPS):
        with contextlib.suppress(ValueError):
            json.dumps(decode_leniently(text, steps))


json_objects = st.dictionaries(
    st.text(), st.text() | st.integers() | st.lists(st.text(), max_size=2), max_size=3
)


@given(json_objects)
def test_strict_json_is_never_mended(value):
    def fail(_text):
        raise AssertionError("a step ran")

    assert decode_leniently(json.dumps(value), (fail,)) == value


@given(json_objects, st.data())
def test_json_cut_off_anywhere_can_be_completed(value, data):
    text = json.dumps(value)
    end = data.draw(st.integers(1, len(text)))

    completed = decode_leniently(text[:end], CUT_OFF_STEPS)

    assert completed.keys() <= value.keys()


@given(json_objects)
def test_pythons_spelling_of_a_value_is_read(value):
    assert decode_leniently(repr(value), VALUE_STEPS) == value


def test_faults_may_come_together():
    text = "Sure!\n```json\n{'name': 'w', 'arguments': {'a': [True, None,], 'b': 'it\\'s',}\n```"

    value = decode_leniently(text, ENVELOPE_STEPS)

    assert value == {"name": "w", "arguments": {"a": [True, None], "b": "it's"}}
