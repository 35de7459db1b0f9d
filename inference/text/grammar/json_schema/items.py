"""Arrays: items in order, then any number alike, within the bounds."""

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from inference.text.grammar.ebnf import NEVER, Alt, Expr, Grammar, Seq, Text
from inference.text.grammar.json_schema.document import checked, checked_list
from inference.text.grammar.json_schema.json_rules import COMMA, enclosed, listed
from inference.text.grammar.json_schema.merge import Flat

if TYPE_CHECKING:
    from inference.text.grammar.json_schema.writer import SchemaWriter

# Rules for the items that were taken, where no two may be the same.
_MAX_SUBSETS = 512


def write_array(writer: "SchemaWriter", flat: Flat) -> Expr:
    """Return the arrays that a flat schema allows."""
    prefix = checked_list(flat["prefixItems"], "prefixItems") if flat.get("prefixItems") else []
    least, most = int(flat.get("minItems", 0)), flat.get("maxItems")
    most = None if most is None else int(most)
    if most is not None and most < least:
        return NEVER
    rest = checked(flat.get("items", True), "items")
    if flat.get("uniqueItems") is True and (most is None or most > 1):
        choices = None if prefix else writer.listed_values(rest)
        if choices is not None and _num_subsets(len(choices), most) <= _MAX_SUBSETS:
            return enclosed("[", _distinct(writer.grammar, choices, least, most), "]")
        writer.document.leave("uniqueItems")
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


def _num_subsets(count: int, most: int | None) -> int:
    return sum(comb(count, size) for size in range(min(count, count if most is None else most) + 1))


def _distinct(grammar: Grammar, choices: list[str], least: int, most: int | None) -> Expr:
    """Return some of a few texts in any order, each at most once: a rule for what was taken."""
    rules: dict[frozenset[str], Expr] = {}
    longest = len(choices) if most is None else min(most, len(choices))
    for size in range(longest, -1, -1):
        for taken in map(frozenset, combinations(choices, size)):
            options: list[Expr] = [Text("")] if size >= least else []
            comma = (COMMA,) if taken else ()
            options += [
                Seq((*comma, Text(one), rules[taken | {one}]))
                for one in choices
                if size < longest and one not in taken
            ]
            rules[taken] = grammar.add("of", Alt(tuple(options)))
    return rules[frozenset()]


def _after_comma(inside: Expr, *, optional: bool) -> Expr:
    """Return what follows an item: a comma and more, or nothing."""
    if inside == Text(""):
        return inside
    if isinstance(inside, Alt) and Text("") in inside.options:
        inside = Alt(tuple(option for option in inside.options if option != Text("")))
    more = Seq((COMMA, inside))
    return Alt((more, Text(""))) if optional else more
