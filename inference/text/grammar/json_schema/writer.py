"""Writes a JSON Schema as a grammar whose every text is JSON that the schema accepts.

The reverse is not promised: members come in the order of the schema, an object that lists
properties has no others unless it says so, whitespace and numbers have a largest length.
What cannot be enforced is left out and noted, so that the rest still holds.
"""

import json
from collections.abc import Iterable
from typing import Any

from inference.text.grammar.ebnf import Alt, Expr, Grammar, Ref, Seq, Text
from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document, Schema
from inference.text.grammar.json_schema.flatten import flatten
from inference.text.grammar.json_schema.items import write_array
from inference.text.grammar.json_schema.json_rules import define_json, json_text
from inference.text.grammar.json_schema.members import write_object
from inference.text.grammar.json_schema.merge import (
    TYPES,
    Flat,
    identity,
    type_of,
    types_of,
    values_of,
)
from inference.text.grammar.json_schema.numbers import admits_number, number_automaton
from inference.text.grammar.json_schema.strings import string_automaton
from inference.text.grammar.regular.automaton import words
from inference.text.grammar.spelling import in_json_string, plainly, write_automaton

MAX_RULES = 5_000  # different schemas, references followed
MAX_WORK = 3_000_000  # characters of all of them

# By keyword: the type that a schema means when it names none.
_IMPLIED = {
    "object": {"members", "propertyNames", "required", "minProperties", "maxProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"},
    "string": {"pattern", "format", "minLength", "maxLength"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}  # fmt: skip
_ARRAY_GAPS = ("contains", "minContains", "maxContains")


class SchemaWriter:
    """Adds rules to one grammar for the schemas of one document."""

    def __init__(self, document: Document, grammar: Grammar, *, any_whitespace: bool) -> None:
        self.document = document
        self.grammar = grammar
        self._rules: dict[str, Ref] = {}
        self._pending: list[tuple[Ref, Schema]] = []
        self._work = 0
        define_json(grammar, any_whitespace=any_whitespace)

    def value(self, schema: Schema) -> Ref:
        """Return the rule for the values of a schema; equal schemas share one.

        It is defined by `finish`, so that schemas may hold one another, and themselves.
        """
        key = json.dumps(schema)
        if key not in self._rules:
            self._work += len(key)
            if len(self._rules) == MAX_RULES or self._work > MAX_WORK:
                raise NotExpressible("the schema describes too many kinds of values")
            self._rules[key] = self.grammar.reserve("v")
            self._pending.append((self._rules[key], schema))
        return self._rules[key]

    def finish(self) -> None:
        """Define every rule that has been asked for."""
        while self._pending:
            rule, schema = self._pending.pop()
            options = [self._flat(flat) for flat in flatten(self.document, schema)]
            self.grammar.define(rule.name, Alt(tuple(options)))

    def string(self, flat: Flat) -> Expr:
        """Return the strings that a flat schema allows, in quotes."""
        automaton = string_automaton(self.document, flat)
        if automaton is None:
            return Ref("string")
        text = write_automaton(self.grammar, automaton, in_json_string, end=Text('"'))
        return Seq((Text('"'), text))

    def listed_values(self, schema: Schema) -> list[str] | None:
        """Return the texts of all values of a schema, each once; None if it does not list them."""
        found: dict[str, str] = {}
        for flat in flatten(self.document, schema):
            values, types = values_of(flat), _meant_types(flat)
            if values is None and types <= {"boolean", "null"}:
                values = [True, False, None]
            if values is None:
                return None
            for value in values:
                if self._admits(value, flat, types):
                    found.setdefault(identity(value), json_text(value))
        return list(found.values())

    def _flat(self, flat: Flat) -> Expr:
        types = _meant_types(flat)
        values = values_of(flat)
        if values is not None:
            return self._among(value for value in values if self._admits(value, flat, types))
        if types == set(TYPES) and not flat.keys() - {"type"}:
            return Ref("value")
        # `integer` beside `number` says nothing more.
        names = types - {"integer"} if "number" in types else types
        return Alt(tuple(self._of_type(name, flat) for name in sorted(names, key=TYPES.index)))

    def _of_type(self, name: str, flat: Flat) -> Expr:
        match name:
            case "object":
                return write_object(self, flat)
            case "array":
                for keyword in _ARRAY_GAPS:
                    if keyword in flat:
                        self.document.leave(keyword)
                return write_array(self, flat)
            case "string":
                return self.string(flat)
            case "number" | "integer":
                return self._number(flat, whole=name == "integer")
            case "boolean":
                return self._among(value for value in (True, False) if _is_free(value, flat))
        return self._among([None] if _is_free(None, flat) else [])

    def _number(self, flat: Flat, *, whole: bool) -> Expr:
        automaton = number_automaton(self.document, flat, whole=whole)
        if automaton is None:
            return Ref("integer" if whole else "number")
        return write_automaton(self.grammar, automaton, plainly)

    def _among(self, values: Iterable[Any]) -> Expr:
        """Return the listed values as a tree of their prefixes, however many they are."""
        return write_automaton(self.grammar, words(map(json_text, values)), plainly)

    def _admits(self, value: Any, flat: Flat, types: set[str]) -> bool:
        """Tell whether a listed value passes the other keywords, as far as they are checked."""
        if not _is_free(value, flat):
            return False
        match value:
            case bool():
                return "boolean" in types
            case None:
                return "null" in types
            case int() | float():
                named = {"number", type_of(value)}
                return bool(types & named) and admits_number(flat, value)
            case str():
                strings = string_automaton(self.document, flat)
                return "string" in types and (strings is None or strings.accepts(value))
        name = type_of(value)
        for keyword in sorted(_IMPLIED[name] & flat.keys()):
            self._leave(keyword, flat)
        return name in types

    def _leave(self, keyword: str, flat: Flat) -> None:
        """Note that a keyword is not enforced, by the names that the caller gave it."""
        said = [name for one in flat.get("members", ()) for name in one.keywords]
        for name in said if keyword == "members" else [keyword]:
            self.document.leave(name)


def _is_free(value: Any, flat: Flat) -> bool:
    return identity(value) not in map(identity, flat.get("excluded", ()))


def _meant_types(flat: Flat) -> set[str]:
    """Return the types of a flat schema: those it names, or those its keywords speak of."""
    if "type" in flat or "enum" in flat or "const" in flat:
        return types_of(flat)
    implied = {name for name, keywords in _IMPLIED.items() if keywords & flat.keys()}
    return implied or set(TYPES)
