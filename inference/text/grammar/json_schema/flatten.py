"""A schema as alternatives without `$ref`, `allOf`, `anyOf` and `oneOf`.

Each alternative is a flat schema: plain keywords, read together. Schemas of properties and
items are left as they are.
"""

from collections.abc import Mapping
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document, Schema, checked_list
from inference.text.grammar.json_schema.keywords import read_keywords
from inference.text.grammar.json_schema.merge import Flat, disjoint, merge

MAX_ALTERNATIVES = 512

# Keywords that say nothing about which values are valid.
_ANNOTATIONS = {
    "$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary",
    "contentEncoding", "contentMediaType", "contentSchema", "default", "definitions",
    "deprecated", "description", "example", "examples", "readOnly", "title", "writeOnly",
}  # fmt: skip
_APPLICATORS = {"$ref", "allOf", "anyOf", "oneOf"}
_LEFT_OUT = ("not", "if", "then", "else", "dependentSchemas", "dependencies", "$dynamicRef")


def flatten(document: Document, schema: Schema) -> list[Flat]:
    """Return the alternatives of a schema; none for one that accepts nothing."""
    return _Flattener(document).alternatives(schema)


class _Flattener:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._open: list[str] = []  # references being followed

    def alternatives(self, schema: Schema) -> list[Flat]:
        if isinstance(schema, bool):
            return [{}] if schema else []
        keywords = read_keywords(schema)
        found = [self._plain(keywords)]
        if "$ref" in keywords:
            found = self._all(found, self._target(keywords["$ref"]))
        for part in checked_list(keywords["allOf"], "allOf") if "allOf" in keywords else ():
            found = self._all(found, self.alternatives(part))
        if "anyOf" in keywords:
            found = self._all(found, self._any(checked_list(keywords["anyOf"], "anyOf")))
        if "oneOf" in keywords:
            branches = checked_list(keywords["oneOf"], "oneOf")
            found = self._all(found, self._exactly_one(branches))
        return [_sealed(flat) for one in found for flat in self._dependent(one)]

    def _plain(self, keywords: Mapping[str, Any]) -> Flat:
        for keyword in _LEFT_OUT:
            if keyword in keywords:
                self._document.leave(keyword)
        dropped = _ANNOTATIONS | _APPLICATORS | set(_LEFT_OUT)
        return {key: value for key, value in keywords.items() if key not in dropped}

    def _target(self, ref: str) -> list[Flat]:
        if ref in self._open:
            return []  # a reference that leads to itself adds no value of its own
        self._open.append(ref)
        found = self.alternatives(self._document.resolve(ref))
        self._open.pop()
        return found

    def _any(self, branches: list[Schema]) -> list[Flat]:
        return self._bounded([flat for one in branches for flat in self.alternatives(one)])

    def _exactly_one(self, branches: list[Schema]) -> list[Flat]:
        groups = [self.alternatives(branch) for branch in branches]
        apart = all(
            disjoint(a, b)
            for index, group in enumerate(groups)
            for other in groups[index + 1 :]
            for a in group
            for b in other
        )
        if not apart:
            self._document.leave("oneOf")
        return self._bounded([flat for group in groups for flat in group])

    def _all(self, left: list[Flat], right: list[Flat]) -> list[Flat]:
        if len(left) * len(right) > MAX_ALTERNATIVES:
            raise self._too_many()
        merged = (merge(a, b) for a in left for b in right)
        return [flat for flat in merged if flat is not None]

    def _dependent(self, flat: Flat) -> list[Flat]:
        """Split on `dependentRequired`: the property is absent, or what it asks for is there."""
        dependent = flat.pop("dependentRequired", None)
        found = [flat]
        for name, needed in (dependent or {}).items():
            absent: Flat = {"properties": {name: False}}
            found = self._all(found, [absent, {"required": [name, *needed]}])
        return found

    def _bounded(self, found: list[Flat]) -> list[Flat]:
        if len(found) > MAX_ALTERNATIVES:
            raise self._too_many()
        return found

    def _too_many(self) -> NotExpressible:
        return NotExpressible(
            f"the schema has more than {MAX_ALTERNATIVES} alternatives in one place"
        )


def _sealed(flat: Flat) -> Flat:
    """Once its parts are together, what a schema leaves unevaluated is what it does not list."""
    if "unevaluatedProperties" in flat:
        rest = flat.pop("unevaluatedProperties")
        flat.setdefault("additionalProperties", rest)
    return flat
