"""The schema battery: what is asked for is enforced or announced, never passed over.

A validator that is not ours judges the battery's own data, and the ends of random walks.
"""

import json
import random
from functools import cache
from typing import Any

import jsonschema
import pytest

from inference.constraint import GrammarNotEnforced, JsonSchema
from inference.text.grammar.source import GrammarSource, write_grammar
from tests.plugins.grammar import random_walk, verdict
from tests.plugins.schema_battery.all_cases import BATTERY
from tests.plugins.schema_battery.case import Case, Promise
from tests.plugins.schema_battery.validator import accepts, faults

WALKS = 8  # for each schema
WRITTEN = [case for case in BATTERY if case.promise is not Promise.NOT_AT_ALL]
HELD = [case for case in BATTERY if case.promise is Promise.ENFORCED]
IN_PART = [case for case in BATTERY if case.promise is Promise.IN_PART]
REFUSED = [case for case in BATTERY if case.promise is Promise.NOT_AT_ALL]


def battery(cases):
    return pytest.mark.parametrize("case", cases, ids=str)


def spelled(value: Any) -> list[str]:
    """Write a value as models do: compact, on one line, on many lines."""
    texts = (
        json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)
        for separators, indent in (((",", ":"), None), (None, None), (None, 2), (None, "\t"))
    )
    return list(dict.fromkeys(texts))


@cache
def outcome(name: str) -> GrammarSource | GrammarNotEnforced:
    [schema] = [case.schema for case in BATTERY if case.name == name]
    return write_grammar(JsonSchema(schema))


def source_of(case: Case) -> GrammarSource:
    source = outcome(case.name)
    assert isinstance(source, GrammarSource), source
    return source


@pytest.fixture
def compile_case(byte_compiler):
    """Return the compiled grammar of a case, over bytes."""
    return lambda case: byte_compiler.compile(source_of(case).ebnf)


def test_the_battery_is_large_and_its_names_tell_apart():
    assert len({case.name for case in BATTERY}) == len(BATTERY) >= 150


@battery(WRITTEN)
def test_the_battery_is_right_about_its_values(case):
    values = [*case.valid, *(json.loads(text) for text in case.spellings)]
    unsaid = [value for values in case.unsaid.values() for value in values]

    assert [value for value in values + unsaid if not accepts(case.schema, value)] == []
    refused = [*case.invalid, *case.missed]
    assert [value for value in refused if accepts(case.schema, value)] == []


@battery(HELD)
def test_what_is_enforced_is_enforced_whole(case):
    assert source_of(case).gaps == ()


@battery(WRITTEN)
def test_valid_answers_can_be_said(case, compile_case):
    compiled = compile_case(case)
    texts = [*(text for value in case.valid for text in spelled(value)), *case.spellings]

    assert [text for text in texts if verdict(compiled, text) != "complete"] == []


@battery(WRITTEN)
def test_invalid_answers_cannot_be_said(case, compile_case):
    compiled = compile_case(case)
    texts = [*(text for value in case.invalid for text in spelled(value)), *case.broken]

    assert [text for text in texts if verdict(compiled, text) == "complete"] == []


@battery([case for case in WRITTEN if case.unsaid])
def test_what_the_grammar_narrows_is_known(case, compile_case):
    compiled = compile_case(case)
    texts = [text for values in case.unsaid.values() for one in values for text in spelled(one)]

    assert [text for text in texts if verdict(compiled, text) == "complete"] == []


@battery(WRITTEN)
def test_a_random_walk_goes_against_nothing_but_what_is_announced(case, compile_case):
    """Most walks leave a valid answer somewhere, so that they get to all parts of the grammar."""
    compiled = compile_case(case)
    told = " ".join(source_of(case).gaps)
    starts = [*(spelled(value)[0] for value in case.valid), *case.spellings, ""]
    numbers = random.Random(case.name)
    ended = 0

    for walk in range(WALKS):
        start = numbers.choice(starts).encode()
        answer, is_complete = random_walk(compiled, numbers, start[: len(start) * walk // WALKS])
        if is_complete:  # else it was cut at the limit
            ended += 1
            for keywords in faults(case.schema, answer):
                assert any(keyword in told for keyword in keywords), (answer, keywords)

    assert ended


@battery(IN_PART)
def test_what_is_left_out_is_announced_by_its_keyword(case):
    source = source_of(case)

    assert source.shortfall is not None
    assert source.shortfall.reason.startswith(case.told)
    assert source.shortfall.reason.endswith("; the rest of the schema is enforced")


@battery([case for case in IN_PART if case.missed])
def test_what_is_announced_is_really_not_enforced(case, compile_case):
    compiled = compile_case(case)

    assert [one for one in case.missed if verdict(compiled, json.dumps(one)) != "complete"] == []


@battery(REFUSED)
def test_what_has_no_grammar_says_why(case):
    found = outcome(case.name)

    assert isinstance(found, GrammarNotEnforced)
    assert case.told in found.reason


def keywords_in(node: Any) -> set[str]:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return {
        *(node if isinstance(node, dict) else ()),
        *(keyword for child in children for keyword in keywords_in(child)),
    }


def keywords_of(draft: Any) -> set[str]:
    """Return the keywords that a draft defines, those of its vocabularies included."""
    found = set(draft.META_SCHEMA.get("properties", ()))
    for part in draft.META_SCHEMA.get("allOf", ()):
        base = draft.META_SCHEMA["$id"].rpartition("/")[0]
        vocabulary = jsonschema.validators.SPECIFICATIONS.contents(f"{base}/{part['$ref']}")
        found |= set(vocabulary["properties"])
    return found


# What says nothing of values: no schema can go against it.
ANNOTATIONS = {
    "$comment", "$vocabulary", "id", "title", "description", "default", "examples", "deprecated",
    "readOnly", "writeOnly", "contentSchema",
}  # fmt: skip


@pytest.mark.parametrize(
    "draft",
    [
        jsonschema.Draft4Validator,
        jsonschema.Draft7Validator,
        jsonschema.Draft201909Validator,
        jsonschema.Draft202012Validator,
    ],
)
def test_every_keyword_of_every_draft_is_in_the_battery(draft):
    used = {keyword for case in BATTERY for keyword in keywords_in(case.schema)}

    assert keywords_of(draft) - used - ANNOTATIONS == set()
