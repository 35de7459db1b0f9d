"""Objects: listed properties in the order of the schema, then others if it lets them in."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inference.text.grammar.ebnf import NEVER, Alt, Expr, Ref, Seq, Text
from inference.text.grammar.json_schema.json_rules import COMMA, enclosed, json_text, listed, member
from inference.text.grammar.json_schema.merge import Flat
from inference.text.grammar.json_schema.named import NamedSchemas
from inference.text.grammar.json_schema.strings import name_automaton
from inference.text.grammar.regular.automaton import Automaton
from inference.text.grammar.spelling import in_json_string, write_automaton

if TYPE_CHECKING:
    from inference.text.grammar.json_schema.writer import SchemaWriter

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

    @property
    def needs_others(self) -> bool:
        """Whether two unlisted members or more are needed, which might be one name twice."""
        return self.others is not None and self.least > len(self.listed) + 1


def write_object(writer: "SchemaWriter", flat: Flat) -> Expr:
    """Return the objects that a flat schema allows."""
    if not flat.keys() - {"type"}:
        return Ref("object")
    one = _read(writer, flat)
    if one.is_counted and len(one.listed) > _MAX_COUNTED:
        for keyword in {"minProperties", "maxProperties"} & flat.keys():
            writer.document.leave(keyword)
        one = replace(one, least=0, most=None)
    if one.needs_others:
        writer.document.leave("minProperties")
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
    if least > 1 and not one.needs_others:
        return NEVER
    most = None if one.most is None else one.most - written
    if not written:
        return listed(one.others, least, most)
    some = Seq((COMMA, listed(one.others, max(least, 1), most)))
    return some if least else Alt((some, Text("")))


def _read(writer: "SchemaWriter", flat: Flat) -> _Object:
    names = None
    if "propertyNames" in flat:
        names = name_automaton(writer.document, flat["propertyNames"])
    required = flat.get("required", ())
    schemas = NamedSchemas(flat.get("members", ()), required, names)
    most = flat.get("maxProperties")
    found = [(name, schemas.schema_of(name)) for name in schemas.listed]
    return _Object(
        listed=[
            (name, writer.value(schema))
            for name, schema in found
            if schema is not False or name in required
        ],
        required=frozenset(required),
        others=_other_members(writer, schemas),
        least=int(flat.get("minProperties", 0)),
        most=None if most is None else int(most),
    )


def _other_members(writer: "SchemaWriter", schemas: NamedSchemas) -> Expr | None:
    kinds = schemas.others()
    if schemas.are_free and kinds:
        [(_, schema)] = kinds
        return member(Ref("string"), writer.value(schema))
    options = [member(_key(writer, names), writer.value(schema)) for names, schema in kinds]
    return writer.grammar.add("other", Alt(tuple(options))) if options else None


def _key(writer: "SchemaWriter", names: Automaton) -> Expr:
    text = write_automaton(writer.grammar, names, in_json_string, end=Text('"'))
    return Seq((Text('"'), text))
