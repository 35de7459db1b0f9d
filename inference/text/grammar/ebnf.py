"""Grammars as trees, and their text in the notation that xgrammar reads.

    root ::= "{" ws member ws "}"

Writing a grammar leaves out what can never end: a rule that needs itself, or a set without
characters, would lead a model into a place with no way on.
"""

from dataclasses import dataclass

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.char_set import CharSet

MAX_TEXT = 1_000_000  # characters of a written grammar


@dataclass(frozen=True, slots=True)
class Text:
    """These characters; the empty text matches nothing more."""

    text: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """One character of a set."""

    chars: CharSet


@dataclass(frozen=True, slots=True)
class Ref:
    """Whatever the rule of this name derives."""

    name: str


@dataclass(frozen=True, slots=True)
class Seq:
    parts: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """Any of its options; without options, nothing at all."""

    options: tuple["Expr", ...]


@dataclass(frozen=True, slots=True)
class Rep:
    body: "Expr"
    least: int = 0
    most: int | None = None


Expr = Text | OneOf | Ref | Seq | Alt | Rep

NEVER = Alt(())


class Grammar:
    """Rules by name, added in any order; `root` is where a text begins."""

    def __init__(self) -> None:
        self._rules: dict[str, Expr] = {}
        self._size = 0

    def define(self, name: str, expr: Expr) -> Ref:
        self._rules[name] = expr
        return Ref(name)

    def reserve(self, hint: str) -> Ref:
        """Return the name of a rule to be defined later."""
        name = f"{hint}_{len(self._rules)}"
        self._rules[name] = NEVER
        return Ref(name)

    def add(self, hint: str, expr: Expr) -> Ref:
        """Define a rule under a name of its own."""
        return self.define(self.reserve(hint).name, expr)

    def __contains__(self, name: str) -> bool:
        return name in self._rules

    def write(self) -> str:
        """Return the text. Raises NotExpressible when no finite text fits, or it is too long."""
        kept = self._productive()
        if "root" not in kept:
            raise NotExpressible("no finite text satisfies it")
        lines, size = [], 0
        for name in self._reachable(kept):
            lines.append(f"{name} ::= {_write(kept[name])}")
            size += len(lines[-1])
            if size > MAX_TEXT:
                raise NotExpressible(
                    f"its grammar is longer than {MAX_TEXT:,} characters; make it smaller"
                )
        return "\n".join(lines) + "\n"

    def _productive(self) -> dict[str, Expr]:
        """Return the rules that derive some finite text, without options that do not."""
        users: dict[str, set[str]] = {}
        for name, expr in self._rules.items():
            for used in _refs(expr):
                users.setdefault(used, set()).add(name)
        ends: set[str] = set()
        pending = list(self._rules)
        while pending:
            name = pending.pop()
            if name not in ends and _pruned(self._rules[name], ends) is not None:
                ends.add(name)
                pending.extend(users.get(name, ()))
        kept = {name: _pruned(self._rules[name], ends) for name in self._rules if name in ends}
        return {name: expr for name, expr in kept.items() if expr is not None}

    def _reachable(self, rules: dict[str, Expr]) -> list[str]:
        found, pending = {"root": None}, ["root"]
        while pending:
            for used in _refs(rules[pending.pop()]):
                if used not in found:
                    found[used] = None
                    pending.append(used)
        return list(found)


def _refs(expr: Expr) -> list[str]:
    match expr:
        case Ref(name):
            return [name]
        case Seq(parts) | Alt(parts):
            return [name for part in parts for name in _refs(part)]
        case Rep(body):
            return _refs(body)
    return []


def _pruned(expr: Expr, ends: set[str]) -> Expr | None:
    """Return `expr` without options that never end; None if nothing is left."""
    match expr:
        case Ref(name):
            return expr if name in ends else None
        case OneOf(chars):
            return expr if chars else None
        case Seq(parts):
            pruned = [_pruned(part, ends) for part in parts]
            kept = [part for part in pruned if part is not None]
            return _joined(kept) if len(kept) == len(parts) else None
        case Alt(options):
            left = tuple(o for o in (_pruned(option, ends) for option in options) if o is not None)
            return Alt(left) if left else None
        case Rep(body, least, most):
            inner = _pruned(body, ends)
            if inner is None:
                return Text("") if least == 0 else None
            return Rep(inner, least, most)
    return expr


def _joined(parts: list[Expr]) -> Expr:
    """Return a sequence without sequences, empty texts and neighbouring texts in it."""
    joined: list[Expr] = []
    for part in parts:
        for one in part.parts if isinstance(part, Seq) else (part,):
            if isinstance(one, Text) and joined and isinstance(joined[-1], Text):
                joined[-1] = Text(joined[-1].text + one.text)
            elif one != Text(""):
                joined.append(one)
    return joined[0] if len(joined) == 1 else Seq(tuple(joined))


def _write(expr: Expr) -> str:
    match expr:
        case Text(text):
            return '"' + "".join(_in_quotes(char) for char in text) + '"'
        case OneOf(chars):
            return "[" + "".join(_span(*span) for span in chars.intervals) + "]"
        case Ref(name):
            return name
        case Seq(parts):
            return " ".join(_grouped(part) for part in parts) or '""'
        case Alt(options):
            return " | ".join(_write(option) for option in options)
        case Rep(body, 0, 0):
            return '""'
        case Rep(body, least, most):
            return _grouped(body) + _COUNTS.get((least, most), f"{{{least},{_count(most)}}}")


_COUNTS = {(0, None): "*", (1, None): "+", (0, 1): "?", (1, 1): ""}


def _count(most: int | None) -> str:
    return "" if most is None else str(most)


def _grouped(expr: Expr) -> str:
    text = _write(expr)
    simple = isinstance(expr, Text | OneOf | Ref | Rep)
    return text if simple and not isinstance(expr, Rep) else f"({text})"


def _in_quotes(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else _escaped(ord(char))


def _span(low: int, high: int) -> str:
    first = _in_class(low)
    return first if low == high else f"{first}-{_in_class(high)}"


def _in_class(code_point: int) -> str:
    char = chr(code_point)
    return char if char.isascii() and char.isalnum() else _escaped(code_point)


def _escaped(code_point: int) -> str:
    return f"\\u{code_point:04x}" if code_point < 0x10000 else f"\\U{code_point:08x}"
