"""Automata as grammar rules, their characters spelled plainly or as inside a JSON string."""

from collections import Counter
from collections.abc import Callable

from inference.text.grammar.ebnf import Alt, Expr, Grammar, OneOf, Ref, Rep, Seq, Text
from inference.text.grammar.regular.automaton import Automaton
from inference.text.grammar.regular.char_set import ANY, CharSet

Spelling = Callable[[CharSet], Expr]

# A larger set, such as that of all letters, is a rule of its own and written once.
_MAX_INTERVALS = 16
HEX = OneOf(CharSet.chars("0123456789abcdefABCDEF"))
_SHORT = {'"': '"', "\\": "\\", "/": "/", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
NOTHING_MORE = Text("")
# What a JSON string may hold as it stands.
RAW = ANY - CharSet.of([(0, 0x1F)]) - CharSet.chars('"\\')
# `\uXXXX` for any character, a pair of them beyond U+FFFF; halves of pairs are left out.
UNICODE_ESCAPE = Alt(
    (
        Seq((OneOf(CharSet.chars("0123456789abcABCefEF")), Rep(HEX, 3, 3))),
        Seq((OneOf(CharSet.chars("dD")), OneOf(CharSet.chars("01234567")), Rep(HEX, 2, 2))),
        Seq(
            (
                OneOf(CharSet.chars("dD")),
                OneOf(CharSet.chars("89abAB")),
                Rep(HEX, 2, 2),
                Text("\\u"),
                OneOf(CharSet.chars("dD")),
                OneOf(CharSet.chars("cdefCDEF")),
                Rep(HEX, 2, 2),
            )
        ),
    )
)
ESCAPE = Alt((OneOf(CharSet.chars("".join(_SHORT.values()))), Seq((Text("u"), UNICODE_ESCAPE))))


def plainly(chars: CharSet) -> Expr:
    """Spell characters as they are."""
    return _one(chars)


def in_json_string(chars: CharSet) -> Expr:
    """Spell characters as JSON does inside quotes.

    Every character of the set can be written. `\\uXXXX` is offered for all characters, or
    for those that have no other spelling.
    """
    options: list[Expr] = [_one(raw)] if (raw := chars & RAW) else []
    if chars == ANY:
        return Alt((*options, Seq((Text("\\"), Ref("escape")))))
    short = "".join(letter for char, letter in _SHORT.items() if ord(char) in chars)
    if short:
        options.append(Seq((Text("\\"), _one(CharSet.chars(short)))))
    unnamed = chars - RAW - CharSet.chars("".join(_SHORT))
    options.extend(
        Text(f"\\u{code:04x}") for low, high in unnamed.intervals for code in range(low, high + 1)
    )
    return Alt(tuple(options))


def write_automaton(
    grammar: Grammar, automaton: Automaton, spell: Spelling, end: Expr = NOTHING_MORE
) -> Expr:
    """Add a rule for each state; return the expression of the texts that are accepted.

    end: what stands behind an accepted text, such as the closing quote.
    """
    if not automaton:
        return Alt(())
    return _Writer(grammar, automaton, spell, end).start()


class _Writer:
    def __init__(self, grammar: Grammar, automaton: Automaton, spell: Spelling, end: Expr):
        self._grammar = grammar
        self._states = automaton.states
        self._spell = spell
        self._end = end
        self._entries = Counter(to for state in self._states for _, to in state.transitions)
        self._entries[0] += 1
        self._refs: dict[int, Ref] = {}
        self._pending: list[int] = []
        self._sets: dict[Expr, Ref] = {}

    def start(self) -> Expr:
        start = self._ref(0)
        while self._pending:
            state = self._pending.pop()
            self._grammar.define(self._refs[state].name, self._options(state))
        return start

    def _ref(self, state: int) -> Ref:
        if state not in self._refs:
            self._refs[state] = self._grammar.reserve("s")
            self._pending.append(state)
        return self._refs[state]

    def _options(self, index: int) -> Expr:
        state = self._states[index]
        options: list[Expr] = [self._end] if state.accepts else []
        for chars, to in state.transitions:
            spelled = self._spell(chars)
            # Each spelling is an option of its own: a nested choice of single characters
            # makes masks a hundred times dearer to compute.
            spellings = spelled.options if isinstance(spelled, Alt) else (spelled,)
            rest = self._rest(to)
            options.extend(Seq((self._shared(one), *rest)) for one in spellings)
        return Alt(tuple(options))

    def _shared(self, spelled: Expr) -> Expr:
        if not isinstance(spelled, OneOf) or len(spelled.chars.intervals) <= _MAX_INTERVALS:
            return spelled
        if spelled not in self._sets:
            self._sets[spelled] = self._grammar.add("set", spelled)
        return self._sets[spelled]

    def _rest(self, index: int) -> list[Expr]:
        """Return what follows on entering a state: a run of fixed characters, then a rule."""
        parts: list[Expr] = []
        while (link := self._link(index)) is not None:
            part, index = link
            parts.append(part)
        ends = self._states[index].accepts and not self._states[index].transitions
        return [*parts, self._end if ends else self._ref(index)]

    def _link(self, index: int) -> tuple[Expr, int] | None:
        """Return the one way on from a state that needs no rule of its own."""
        state = self._states[index]
        if state.accepts or len(state.transitions) != 1 or self._entries[index] != 1:
            return None
        chars, to = state.transitions[0]
        spelled = self._spell(chars)
        return None if isinstance(spelled, Alt) else (self._shared(spelled), to)


def _one(chars: CharSet) -> Expr:
    if len(chars.intervals) == 1 and chars.intervals[0][0] == chars.intervals[0][1]:
        return Text(chr(chars.intervals[0][0]))
    return OneOf(chars)
