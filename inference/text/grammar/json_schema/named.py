"""What schemas say of an object's members, by their names."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Schema, checked_map
from inference.text.grammar.regular.automaton import Automaton, of_length, words
from inference.text.grammar.regular.determinize import search_match

_MAX_PATTERNS = 6  # each may double the kinds of names
KEYWORDS = ("properties", "patternProperties", "additionalProperties")


@dataclass(frozen=True, slots=True)
class Members:
    """The words of one schema object: it alone decides which names are its `others`.

    properties, patterns: schemas by name, and by a pattern that is searched for in names.
    others: the schema of all other names; None where nothing is said.
    lists: whether the members are described by them, rather than only refused.
    """

    properties: Mapping[str, Schema]
    patterns: Mapping[str, Schema]
    others: Schema | None = None
    lists: bool = True

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> "Members | None":
        """Return what a schema's keywords say of members, if anything."""
        if not any(keyword in keywords for keyword in KEYWORDS):
            return None
        return cls(
            checked_map(keywords.get("properties", {}), "properties"),
            checked_map(keywords.get("patternProperties", {}), "patternProperties"),
            keywords.get("additionalProperties"),
        )

    @classmethod
    def without(cls, name: str) -> "Members":
        """Return the words that forbid one name."""
        return cls({name: False}, {}, lists=False)

    @classmethod
    def opposing(cls, name: str, schema: Schema) -> "Members":
        """Return the words that forbid one name the values of a schema."""
        return cls({name: {"not": schema}}, {}, lists=False)

    @property
    def keywords(self) -> list[str]:
        said = (self.properties, self.patterns, self.others is not None)
        return [keyword for keyword, is_said in zip(KEYWORDS, said, strict=True) if is_said]

    @property
    def lists_any(self) -> bool:
        """Whether some member is described that there may be."""
        some = bool(self.patterns) or any(one is not False for one in self.properties.values())
        return self.lists and some

    def schema_of(self, name: str | None, matched: Iterable[str]) -> Schema:
        """Return the schema of a name's value.

        name: None for one that is not listed. matched: the patterns that are found in it.
        """
        found = [self.patterns[pattern] for pattern in matched if pattern in self.patterns]
        if name is not None and name in self.properties:
            found.append(self.properties[name])
        if found:
            return all_of(found)
        return True if self.others is None else self.others


def all_of(schemas: Iterable[Schema]) -> Schema:
    """Return a schema that asks for all others."""
    # By their text: Python holds 1 and True equal.
    distinct = {json.dumps(schema): schema for schema in schemas if schema is not True}
    if "false" in distinct:
        return False
    if len(distinct) > 1:
        return {"allOf": list(distinct.values())}
    return next(iter(distinct.values()), True)


class NamedSchemas:
    """Which schema the value of a member has, when several schemas speak of it.

    names: those that `propertyNames` allows; None for all.
    listed: the names that are spoken of, the required ones behind the others.
    """

    def __init__(
        self, said: tuple[Members, ...], required: Iterable[str], names: Automaton | None
    ) -> None:
        self._said = said
        self._names = names
        self.listed = list(
            dict.fromkeys([*(name for one in said for name in one.properties), *required])
        )
        patterns = dict.fromkeys(pattern for one in said for pattern in one.patterns)
        if len(patterns) > _MAX_PATTERNS:
            raise NotExpressible(f"patternProperties has more than {_MAX_PATTERNS} patterns")
        try:
            self._patterns = {pattern: search_match(pattern) for pattern in patterns}
        except NotExpressible as error:
            raise NotExpressible(f"patternProperties: {error}") from error

    @property
    def are_free(self) -> bool:
        """Whether nothing depends on a name."""
        return not (self._patterns or self.listed) and self._names is None

    def schema_of(self, name: str) -> Schema:
        """Return the schema for a listed name."""
        if self._names is not None and not self._names.accepts(name):
            return False
        matched = [pattern for pattern, names in self._patterns.items() if names.accepts(name)]
        return all_of(one.schema_of(name, matched) for one in self._said)

    def others(self) -> list[tuple[Automaton, Schema]]:
        """Return names that are not listed, in sets of one schema each.

        A listed name that came twice would be read from its second value, past its own schema.
        """
        free = of_length(0, None) if self._names is None else self._names
        kinds: list[tuple[Automaton, tuple[str, ...]]] = [(free - words(self.listed), ())]
        for pattern, names in self._patterns.items():
            inside = [(known & names, (*matched, pattern)) for known, matched in kinds]
            outside = [(known - names, matched) for known, matched in kinds]
            kinds = [kind for kind in (*inside, *outside) if kind[0]]
        schemas = [(known, self._unlisted(matched)) for known, matched in kinds]
        return [(known, schema) for known, schema in schemas if known and schema is not False]

    def _unlisted(self, matched: tuple[str, ...]) -> Schema:
        is_silent = all(one.others is None for one in self._said)
        # An object that lists members has no others, unless it says so.
        if not matched and is_silent and any(one.lists_any for one in self._said):
            return False
        return all_of(one.schema_of(None, matched) for one in self._said)
