"""Reads the regular expressions that ECMA-262 and Python share.

Literals, `.`, classes, `\\d \\w \\s \\p` and their negations, alternation, groups (names are
ignored), greedy and lazy quantifiers, and anchors at the ends of an alternative. What needs
more than a finite automaton is refused, and so are Unicode's scripts.
"""

import re

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.categories import category
from inference.text.grammar.regular.char_set import ANY, DIGITS, LINE_ENDS, SPACE, WORD, CharSet
from inference.text.grammar.regular.syntax import Branch, Chars, Concat, Either, Node, Repeat

MAX_LENGTH = 65_536  # characters
_MAX_DEPTH = 50  # groups inside one another
_CLASSES = {
    "d": DIGITS,
    "D": ~DIGITS,
    "w": WORD,
    "W": ~WORD,
    "s": SPACE,
    "S": ~SPACE,
}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_QUANTIFIER = re.compile(r"([*+?])|\{([0-9]{1,9})(?:(,)([0-9]{1,9})?)?\}")
_GROUP = re.compile(r"\?:|\?P?<[A-Za-z_]\w*>")
_HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
_CATEGORY = re.compile(r"([pP])\{(?:(?:gc|General_Category)=)?(\w+)\}")
_LOW_SURROGATE = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_REPEATED = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def parse(pattern: str) -> tuple[Branch, ...]:
    """Return the alternatives of a pattern. Raises NotExpressible for what has no automaton."""
    if len(pattern) > MAX_LENGTH:
        raise NotExpressible(
            f"the regular expression has {len(pattern):,} characters, more than {MAX_LENGTH:,}"
        )
    return _Parser(pattern).branches()


class _Parser:
    """One pass over a pattern, from left to right."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._depth = 0

    def branches(self) -> tuple[Branch, ...]:
        found = [self._branch()]
        while self._take("|"):
            found.append(self._branch())
        if self._at < len(self._text):
            raise self._refuse("unmatched )")
        return tuple(found)

    def _branch(self) -> Branch:
        at_start = self._take("^")
        parts = self._parts()
        return Branch(Concat(tuple(parts)), at_start, self._take("$"))

    def _parts(self) -> list[Node]:
        parts: list[Node] = []
        while (char := self._peek()) not in ("", "|", ")"):
            if char == "$" and self._depth == 0 and self._text[self._at + 1 :][:1] in ("", "|"):
                break
            if char in "^$":
                raise self._refuse(f"{char} away from the ends of an alternative")
            parts.append(self._quantified(self._atom()))
        return parts

    def _quantified(self, atom: Node) -> Node:
        match = _QUANTIFIER.match(self._text, self._at)
        if match is None:
            return atom
        self._at = match.end()
        symbol, least, comma, most = match.groups()
        if symbol:
            low, high = _REPEATED[symbol]
        else:
            low, high = int(least), int(most) if most else None if comma else int(least)
        if high is not None and high < low:
            raise self._refuse(f"a quantifier from {low} down to {high}")
        self._take("?")  # lazy or greedy: the same texts match as a whole
        if _QUANTIFIER.match(self._text, self._at):
            raise self._refuse("a quantifier after a quantifier")
        return Repeat(atom, low, high)

    def _atom(self) -> Node:
        char = self._next()
        match char:
            case "(":
                return self._group()
            case "[":
                return Chars(self._class())
            case ".":
                return Chars(~LINE_ENDS)
            case "\\":
                return Chars(self._escape())
            case "*" | "+" | "?":
                raise self._refuse("a quantifier with nothing to repeat")
        return Chars(CharSet.chars(char))

    def _group(self) -> Node:
        if self._peek() == "?":
            match = _GROUP.match(self._text, self._at)
            if match is None:
                raise self._refuse("look-around or an inline flag")
            self._at = match.end()
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._refuse(f"groups more than {_MAX_DEPTH} deep")
        options = [Concat(tuple(self._parts()))]
        while self._take("|"):
            options.append(Concat(tuple(self._parts())))
        if not self._take(")"):
            raise self._refuse("a group without )")
        self._depth -= 1
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _class(self) -> CharSet:
        negated = self._take("^")
        sets: list[CharSet] = []
        while not self._take("]"):
            if self._peek() == "":
                raise self._refuse("a class without ]")
            first = self._class_member()
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                first = self._range(first, self._class_member())
            sets.append(first)
        members = CharSet.of(span for one in sets for span in one.intervals)
        return ~members if negated else members

    def _class_member(self) -> CharSet:
        char = self._next()
        if char != "\\":
            return CharSet.chars(char)
        if self._take("b"):
            return CharSet.chars("\b")
        return self._escape()

    def _range(self, first: CharSet, last: CharSet) -> CharSet:
        low, high = _single(first), _single(last)
        if low is None or high is None:
            raise self._refuse("a range of classes")
        if low > high:
            raise self._refuse(f"a range from {chr(low)} down to {chr(high)}")
        return CharSet.of([(low, high)])

    def _escape(self) -> CharSet:
        if match := _HEX.match(self._text, self._at):
            self._at = match.end()
            return self._code_point(int(next(filter(None, match.groups())), 16))
        if match := _CATEGORY.match(self._text, self._at):
            if (members := category(match[2])) is None:
                raise self._refuse(f"\\{match[0]}")
            self._at = match.end()
            return members if match[1] == "p" else ~members
        char = self._next()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in _CONTROLS:
            return CharSet.chars(_CONTROLS[char])
        if char == "" or char.isalnum():
            raise self._refuse(f"\\{char}")
        return CharSet.chars(char)

    def _code_point(self, value: int) -> CharSet:
        if 0xD800 <= value < 0xDC00 and (low := _LOW_SURROGATE.match(self._text, self._at)):
            self._at = low.end()
            value = 0x10000 + ((value - 0xD800) << 10) + int(low[1], 16) - 0xDC00
        if not CharSet.of([(value, value)]) & ANY:
            raise self._refuse("half a surrogate pair")
        return CharSet.of([(value, value)])

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        char = self._peek()
        self._at += len(char)
        return char

    def _take(self, char: str) -> bool:
        if self._peek() != char:
            return False
        self._at += 1
        return True

    def _refuse(self, what: str) -> NotExpressible:
        return NotExpressible(f"regular expression: {what}, near character {self._at}")


def _single(chars: CharSet) -> int | None:
    """Return the code point of a set of one."""
    if len(chars.intervals) == 1 and chars.intervals[0][0] == chars.intervals[0][1]:
        return chars.intervals[0][0]
    return None
