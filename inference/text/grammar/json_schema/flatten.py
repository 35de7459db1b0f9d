"""A schema as alternatives without references, conditions and combinations.

Each alternative is a flat schema: plain keywords, read together. Schemas of members and
items are left as they are.
"""

import json
from collections.abc import Mapping
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document, Schema, checked_list
from inference.text.grammar.json_schema.keywords import read_keywords
from inference.text.grammar.json_schema.merge import Flat, disjoint, merge
from inference.text.grammar.json_schema.named import KEYWORDS as MEMBER_KEYWORDS
from inference.text.grammar.json_schema.named import Members
from inference.text.grammar.json_schema.negation import opposites

MAX_ALTERNATIVES = 512

# Keywords that say nothing about which values are valid.
_ANNOTATIONS = {
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema",
    "$vocabulary", "contentEncoding", "contentMediaType", "contentSchema", "default",
    "definitions", "deprecated", "description", "example", "examples", "id", "readOnly", "title",
    "writeOnly",
}  # fmt: skip
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_CONDITION = ("if", "then", "else")
_DROPPED = {
    *_ANNOTATIONS, *_REFERENCES, *_CONDITION, *MEMBER_KEYWORDS,
    "allOf", "anyOf", "oneOf", "not", "dependentRequired", "dependentSchemas",
}  # fmt: skip


def flatten(document: Document, schema: Schema) -> list[Flat]:
    """Return the alternatives of a schema; none for one that accepts nothing."""
    return _Flattener(document).alternatives(schema)


class _TooMany(NotExpressible):
    def __init__(self) -> None:
        super().__init__(f"the schema has more than {MAX_ALTERNATIVES} alternatives in one place")


class _Flattener:
    """Flattens one schema and whatever stands in the same place.

    _open: references being followed. _negated: schemas that `not` was tried on, by their text.
    _narrowed: how often alternatives came out narrower than their schema; what such a schema
        refuses, they cannot tell.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._open: list[str] = []
        self._narrowed = 0

    def alternatives(self, schema: Schema) -> list[Flat]:
        if isinstance(schema, bool):
            return [{}] if schema else []
        keywords = read_keywords(schema)
        found = [_plain(keywords)]
        for keyword in _REFERENCES:
            if keyword in keywords:
                found = self._all(found, self._target(keyword, keywords[keyword]))
        for part in _branches(keywords, "allOf"):
            found = self._all(found, self.alternatives(part))
        if "anyOf" in keywords:
            found = self._all(found, self._any(_branches(keywords, "anyOf")))
        if "oneOf" in keywords:
            found = self._exactly_one(found, _branches(keywords, "oneOf"))
        if "not" in keywords:
            found = self._none_of(found, keywords["not"])
        if "if" in keywords and ("then" in keywords or "else" in keywords):
            found = self._conditional(found, keywords)
        return self._sealed(self._dependent(found, keywords))

    def _target(self, keyword: str, ref: str) -> list[Flat]:
        if ref in self._open:
            self._narrowed += 1
            return []  # a reference that leads to itself adds no value of its own
        if keyword != "$ref" and self._document.is_dynamic(keyword, ref):
            self._document.leave(keyword)
            return [{}]
        self._open.append(ref)
        found = self.alternatives(self._document.resolve(ref))
        self._open.pop()
        return found

    def _any(self, branches: list[Schema]) -> list[Flat]:
        return _bounded([flat for one in branches for flat in self.alternatives(one)])

    def _exactly_one(self, found: list[Flat], branches: list[Schema]) -> list[Flat]:
        narrowed = self._narrowed
        groups = [self._all(found, self.alternatives(branch)) for branch in branches]
        apart: list[Flat] = []
        for group in groups:
            others = [
                branch
                for other, branch in zip(groups, branches, strict=True)
                if other is not group and not _are_disjoint(group, other)
            ]
            one = self._without(group, others)
            if one is None or self._narrowed > narrowed:
                self._document.leave("oneOf")
                return _bounded([flat for group in groups for flat in group])
            apart += one
        return _bounded(apart)

    def _none_of(self, found: list[Flat], schema: Schema) -> list[Flat]:
        left = self._without(found, [schema])
        if left is None:
            self._document.leave("not")
            return found
        return left

    def _conditional(self, found: list[Flat], keywords: Mapping[str, Any]) -> list[Flat]:
        unmet = self._without(found, [keywords["if"]])
        if unmet is not None:
            met = self._all(found, self.alternatives(keywords["if"]))
            met = self._all(met, self.alternatives(keywords.get("then", True)))
            unmet = self._all(unmet, self.alternatives(keywords.get("else", True)))
            return _bounded([*met, *unmet])
        for keyword in _CONDITION:
            if keyword in keywords:
                self._document.leave(keyword)
        return found

    def _dependent(self, found: list[Flat], keywords: Mapping[str, Any]) -> list[Flat]:
        """Split where a member asks for more: it is absent, or what it asks for is there."""
        asked: list[tuple[str, list[Flat]]] = [
            (name, [{"required": [name, *needed]}])
            for name, needed in keywords.get("dependentRequired", {}).items()
        ]
        for name, schema in keywords.get("dependentSchemas", {}).items():
            asked.append((name, self._all([{"required": [name]}], self.alternatives(schema))))
        for name, present in asked:
            absent: Flat = {"members": (Members.without(name),)}
            found = self._all(found, [absent, *present])
        return found

    def _sealed(self, found: list[Flat]) -> list[Flat]:
        """Once its parts are together, what a schema leaves unevaluated is what none lists."""
        if len(found) > 1 and any("unevaluated" in key for flat in found for key in flat):
            self._narrowed += 1  # a value of two alternatives may have members of both
        return [_sealed(flat) for flat in found]

    def _without(self, found: list[Flat], schemas: list[Schema]) -> list[Flat] | None:
        """Return the part of alternatives that schemas refuse; None if it cannot be said."""
        for schema in schemas:
            refused = self._refused(schema)
            if refused is None:
                return None
            try:
                found = self._all(found, refused)
            except _TooMany:
                return None
        return found

    def _refused(self, schema: Schema) -> list[Flat] | None:
        """Return the alternatives of what a schema refuses; None if they cannot be said."""
        key = json.dumps(schema)
        if not self._document.negatable.setdefault(key, True):
            return None
        # Should the schema hold itself, it is met again as one that cannot be negated.
        self._document.negatable[key] = False
        gaps, narrowed = dict(self._document.gaps), self._narrowed
        refused: list[Flat] | None = [{}]
        try:
            for flat in self.alternatives(schema):
                parts = opposites(flat, self._can_negate)
                refused = None if parts is None or refused is None else self._all(refused, parts)
        except _TooMany:
            refused = None
        if self._narrowed > narrowed or self._document.gaps != gaps:
            refused = None
        self._narrowed, self._document.gaps = narrowed, gaps
        self._document.negatable[key] = refused is not None
        return refused

    def _can_negate(self, schema: Schema) -> bool:
        """Tell whether `not` can be asked of a member, which is a place of its own."""
        around, self._open = self._open, []
        refused = self._refused(schema)
        self._open = around
        return refused is not None

    def _all(self, left: list[Flat], right: list[Flat]) -> list[Flat]:
        if len(left) * len(right) > MAX_ALTERNATIVES:
            raise _TooMany
        merged = (merge(a, b) for a in left for b in right)
        return [flat for flat in merged if flat is not None]


def _plain(keywords: Mapping[str, Any]) -> Flat:
    flat = {key: value for key, value in keywords.items() if key not in _DROPPED}
    if (members := Members.of(keywords)) is not None:
        flat["members"] = (members,)
    return flat


def _branches(keywords: Mapping[str, Any], keyword: str) -> list[Schema]:
    return checked_list(keywords[keyword], keyword) if keyword in keywords else []


def _are_disjoint(left: list[Flat], right: list[Flat]) -> bool:
    return all(disjoint(a, b) for a in left for b in right)


def _bounded(found: list[Flat]) -> list[Flat]:
    if len(found) > MAX_ALTERNATIVES:
        raise _TooMany
    return found


def _sealed(flat: Flat) -> Flat:
    if "unevaluatedItems" in flat:
        flat.setdefault("items", flat.pop("unevaluatedItems"))
    if "unevaluatedProperties" not in flat:
        return flat
    rest = flat.pop("unevaluatedProperties")
    said: tuple[Members, ...] = flat.get("members", ())
    if all(one.others is None for one in said):
        listed = {name: True for one in said if one.lists for name in one.properties}
        matched = {pattern: True for one in said for pattern in one.patterns}
        flat["members"] = (*said, Members(listed, matched, rest))
    return flat
