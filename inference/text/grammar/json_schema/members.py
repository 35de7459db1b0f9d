"""Objects: listed properties in the order of the schema, then others if it lets them in."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inference.text.grammar.ebnf import NEVER, Alt, Expr, Ref, Seq, Text
from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Schema, checked_map
from inference.text.grammar.json_schema.json_rules import COMMA, enclosed, json_text, listed, member
from inference.text.grammar.json_schema.merge import Flat, both
from inference.text.grammar.json_schema.strings import name_automaton
from inference.text.grammar.regular.automaton import Automaton, of_length, words
from inference.text.grammar.regular.determinize import search_match
from inference.text.grammar.spelling import in_json_string, write_automaton

if TYPE_CHECKING:
    from inference.text.grammar.json_schema.writer import SchemaWriter

_MAX_PATTERNS = 6  # each may double the kinds of names
_MAX_COUNTED = 200  # properties that minProperties and maxProperties can count


@dataclass(frozen=True, slots=True)
class _Object:
    """What one flat schema says of an object.

    listed: the members in their order, each with its value's rule.
    required: names of members that must be there.
    others: a member of another name; None where there is none.
    least, most: of all members together.
    """

    listed: list[tuple[str, Ref]]
    required: frozenset[str]
    others: Expr | None
    least: int
    most: int | None

    @property
    def is_counted(self) -> bool:
        return self.least > len(self.required) or self.most is not None


def write_object(writer: "SchemaWriter", flat: Flat) -> Expr:
    """Return the objects that a flat schema allows."""
    if not flat.keys() - {"type"}:
        return Ref("object")
    one = _read(writer, flat)
    if one.is_counted and len(one.listed) > _MAX_COUNTED:
        for keyword in {"minProperties", "maxProperties"} & flat.keys():
            writer.document.leave(keyword)
        one = replace(one, least=0, most=None)
    return enclosed("{", _members(writer, one), "}")


def _members(writer: "SchemaWriter", one: _Object) -> Expr:
    """Return the members, in rules from the last listed one to the first.

    A rule knows how many members stand before it; unless they are counted, whether any does.
    """
    before = range(len(one.listed) + 1) if one.is_counted else range(2)
    onward = {written: _others(one, written) for written in before}
    for index, (name, value) in reversed(list(enumerate(one.listed))):
        key = Text(json_text(name))
        rules: dict[int, Expr] = {}
        for written in before[: index + 1]:
            options: list[Expr] = []
            if one.most is None or written < one.most:
                comma = (COMMA,) if written else ()
                after = onward[min(written + 1, before[-1])]
                options.append(Seq((*comma, member(key, value), after)))
            if name not in one.required:
                options.append(onward[written])
            rules[written] = writer.grammar.add("m", Alt(tuple(options)))
        onward = rules
    return onward[0]


def _others(one: _Object, written: int) -> Expr:
    """Return the members of unlisted names, behind so many listed ones."""
    least = max(one.least - written, 0)
    if one.others is None:
        return Text("") if least == 0 else NEVER
    most = None if one.most is None else one.most - written
    if not written:
        return listed(one.others, least, most)
    some = Seq((COMMA, listed(one.others, max(least, 1), most)))
    return some if least else Alt((some, Text("")))


def _read(writer: "SchemaWriter", flat: Flat) -> _Object:
    names = None
    if "propertyNames" in flat:
        names = name_automaton(writer.document, flat["propertyNames"])
    kinds = _Kinds(flat, names)
    required = flat.get("required", ())
    listed_names = list(dict.fromkeys([*kinds.properties, *required]))
    most = flat.get("maxProperties")
    return _Object(
        listed=[(name, writer.value(kinds.schema_of(name))) for name in listed_names],
        required=frozenset(required),
        others=_other_members(writer, kinds, listed_names),
        least=int(flat.get("minProperties", 0)),
        most=None if most is None else int(most),
    )


class _Kinds:
    """Which schema the value of a member has, by the member's name.

    names: those that `propertyNames` allows; None for all.
    """

    def __init__(self, flat: Flat, names: Automaton | None) -> None:
        self.properties = checked_map(flat.get("properties", {}), "properties")
        patterns = checked_map(flat.get("patternProperties", {}), "patternProperties")
        if len(patterns) > _MAX_PATTERNS:
            raise NotExpressible(f"patternProperties has more than {_MAX_PATTERNS} patterns")
        self.patterns = [(search_match(pattern), schema) for pattern, schema in patterns.items()]
        self.names = names
        # An object that lists members has no others, unless it says so.
        is_open = not (self.properties or patterns)
        self.rest: Schema = flat.get("additionalProperties", is_open)
        self._unlisted: Schema = flat.get("additionalProperties", True)

    def schema_of(self, name: str) -> Schema:
        """Return the schema for a listed or required name."""
        if self.names is not None and not self.names.accepts(name):
            return False
        matching = [schema for matcher, schema in self.patterns if matcher.accepts(name)]
        schema = self.properties.get(name, True if matching else self._unlisted)
        for other in matching:
            schema = both(schema, other)
        return schema

    def others(self, listed_names: list[str]) -> list[tuple[Automaton, Schema]]:
        """Return names that are not listed, in sets of one schema each.

        A listed name that came twice would be read from its second value, past its own schema.
        """
        free = (of_length(0, None) if self.names is None else self.names) - words(listed_names)
        kinds: list[tuple[Automaton, Schema | None]] = [(free, None)]
        for matcher, schema in self.patterns:
            inside = [
                (known & matcher, schema if other is None else both(other, schema))
                for known, other in kinds
            ]
            outside = [(known - matcher, other) for known, other in kinds]
            kinds = [kind for kind in (*inside, *outside) if kind[0]]
        return [(known, self.rest if other is None else other) for known, other in kinds]


def _other_members(writer: "SchemaWriter", kinds: _Kinds, listed_names: list[str]) -> Expr | None:
    if not kinds.patterns and kinds.rest is False:
        return None
    if not (kinds.patterns or listed_names or kinds.names):
        return member(Ref("string"), writer.value(kinds.rest))
    options = [
        member(_key(writer, names), writer.value(schema))
        for names, schema in kinds.others(listed_names)
        if schema is not False
    ]
    return writer.grammar.add("other", Alt(tuple(options))) if options else None


def _key(writer: "SchemaWriter", names: Automaton) -> Expr:
    text = write_automaton(writer.grammar, names, in_json_string, end=Text('"'))
    return Seq((Text('"'), text))
