"""The rules of JSON itself, which the grammars of all schemas share."""

import json
from typing import Any

from inference.text.grammar.ebnf import Alt, Expr, Grammar, OneOf, Ref, Rep, Seq, Text
from inference.text.grammar.regular.char_set import DIGITS, CharSet
from inference.text.grammar.regular.numbers import MAX_DIGITS
from inference.text.grammar.spelling import ESCAPE, RAW

# Enough for a deep indentation; without an end, a model can write blanks for ever.
MAX_WHITESPACE = 32

WS = Ref("ws")
COMMA = Seq((WS, Text(","), WS))
_BLANKS = OneOf(CharSet.chars(" \n\r\t"))
_DIGIT = OneOf(DIGITS)
_NONZERO = OneOf(DIGITS - CharSet.chars("0"))


def define_json(grammar: Grammar, *, any_whitespace: bool) -> None:
    """Define `ws`, `string`, `integer`, `number`, `value`, `object`, `array` and `escape`."""
    rules: dict[str, Expr] = {
        "ws": Rep(_BLANKS, 0, MAX_WHITESPACE) if any_whitespace else Text(""),
        "escape": ESCAPE,
        "string": Seq((Text('"'), Ref("characters"))),
        # Ends in itself: masks for such a rule are the cheapest to compute.
        "characters": Alt(
            (
                Text('"'),
                Seq((OneOf(RAW), Ref("characters"))),
                Seq((Text("\\"), Ref("escape"), Ref("characters"))),
            )
        ),
        "integer": Seq(
            (
                Rep(Text("-"), 0, 1),
                Alt((Text("0"), Seq((_NONZERO, Rep(_DIGIT, 0, MAX_DIGITS - 1))))),
            )
        ),
        "number": Seq((Ref("integer"), Rep(Ref("fraction"), 0, 1), Rep(Ref("exponent"), 0, 1))),
        "fraction": Seq((Text("."), Rep(_DIGIT, 1, MAX_DIGITS))),
        "exponent": Seq(
            (
                OneOf(CharSet.chars("eE")),
                Rep(OneOf(CharSet.chars("+-")), 0, 1),
                Rep(_DIGIT, 1, 3),
            )
        ),
        "value": Alt(
            (
                Ref("object"),
                Ref("array"),
                Ref("string"),
                Ref("number"),
                *(Text(word) for word in ("true", "false", "null")),
            )
        ),
        "member": member(Ref("string"), Ref("value")),
        "object": enclosed("{", listed(Ref("member"), 0, None), "}"),
        "array": enclosed("[", listed(Ref("value"), 0, None), "]"),
    }
    for name, expr in rules.items():
        grammar.define(name, expr)


def json_text(value: Any) -> str:
    """Return the JSON of a value, its characters as they are where UTF-8 has them."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can write
        return json.dumps(value, separators=(",", ":"))
    return text


def member(key: Expr, value: Expr) -> Expr:
    return Seq((key, WS, Text(":"), WS, value))


def listed(one: Expr, least: int, most: int | None) -> Expr:
    """Return `least` to `most` of one thing, commas between them."""
    if most is not None and most < max(least, 1):
        return Text("") if least == 0 else Alt(())
    more = Rep(Seq((COMMA, one)), max(least - 1, 0), None if most is None else most - 1)
    some = Seq((one, more))
    return some if least else Alt((some, Text("")))


def enclosed(opening: str, inside: Expr, closing: str) -> Expr:
    return Seq((Text(opening), WS, inside, WS, Text(closing)))
