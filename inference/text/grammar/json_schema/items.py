"""Arrays: items in order, then any number alike, within the bounds."""

from typing import TYPE_CHECKING

from inference.text.grammar.ebnf import NEVER, Alt, Expr, Seq, Text
from inference.text.grammar.json_schema.document import checked, checked_list
from inference.text.grammar.json_schema.json_rules import COMMA, enclosed, listed
from inference.text.grammar.json_schema.merge import Flat

if TYPE_CHECKING:
    from inference.text.grammar.json_schema.writer import SchemaWriter


def write_array(writer: "SchemaWriter", flat: Flat) -> Expr:
    """Return the arrays that a flat schema allows."""
    prefix = checked_list(flat["prefixItems"], "prefixItems") if flat.get("prefixItems") else []
    least, most = int(flat.get("minItems", 0)), flat.get("maxItems")
    most = None if most is None else int(most)
    if most is not None and most < least:
        return NEVER
    if flat.get("uniqueItems") is True and (most is None or most > 1):
        writer.document.leave("uniqueItems")
    rest = checked(flat.get("items", True), "items")
    heads = [writer.value(one) for one in prefix[:most]]
    tail_least = max(least - len(heads), 0)
    tail_most = None if most is None else most - len(heads)
    if rest is False:
        tail_most = 0
    tail = listed(writer.value(rest), tail_least, tail_most)
    # From the last item to the first: whether an item is there decides about those behind it.
    inside: Expr = tail
    for index in reversed(range(len(heads))):
        behind = _after_comma(inside, optional=index + 1 >= least)
        inside = writer.grammar.add("items", Seq((heads[index], behind)))
    if heads and least == 0:
        inside = Alt((inside, Text("")))
    return enclosed("[", inside, "]")


def _after_comma(inside: Expr, *, optional: bool) -> Expr:
    """Return what follows an item: a comma and more, or nothing."""
    if inside == Text(""):
        return inside
    if isinstance(inside, Alt) and Text("") in inside.options:
        inside = Alt(tuple(option for option in inside.options if option != Text("")))
    more = Seq((COMMA, inside))
    return Alt((more, Text(""))) if optional else more
