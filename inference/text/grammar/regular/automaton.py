"""Deterministic finite automata over characters, and what can be done with two of them.

A state's transitions have disjoint sets, every state can still reach an accepting one, and
state 0 is the start; an automaton without states accepts nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.char_set import ANY, CharSet

# What an engine holds to without trouble; bounded repeats are what reaches it.
MAX_STATES = 4_096


@dataclass(frozen=True, slots=True)
class State:
    """Where each set of characters leads, and whether the text may end here."""

    transitions: tuple[tuple[CharSet, int], ...] = ()
    accepts: bool = False


@dataclass(frozen=True, slots=True)
class Automaton:
    states: tuple[State, ...]

    def __bool__(self) -> bool:
        """Tell whether any text is accepted."""
        return bool(self.states)

    def accepts(self, text: str) -> bool:
        state = self.states[0] if self.states else State()
        for char in text:
            reached = next((to for chars, to in state.transitions if ord(char) in chars), None)
            if reached is None:
                return False
            state = self.states[reached]
        return state.accepts

    def __and__(self, other: "Automaton") -> "Automaton":
        return _product(self, other, lambda a, b: a and b)

    def __sub__(self, other: "Automaton") -> "Automaton":
        return _product(self, other, lambda a, b: a and not b)

    def __or__(self, other: "Automaton") -> "Automaton":
        everything = of_length(0, None)
        return everything - ((everything - self) - other)


NOTHING = Automaton(())


def words(texts: Iterable[str]) -> Automaton:
    """Return the automaton of a finite set of texts: a tree of their prefixes."""
    children: list[dict[str, int]] = [{}]
    ends: set[int] = set()
    for text in texts:
        node = 0
        for char in text:
            if char not in children[node]:
                children[node][char] = len(children)
                children.append({})
            node = children[node][char]
        ends.add(node)
    if not ends:
        return NOTHING
    return Automaton(
        tuple(
            State(tuple((CharSet.chars(c), to) for c, to in sorted(kids.items())), node in ends)
            for node, kids in enumerate(children)
        )
    )


def of_length(least: int, most: int | None) -> Automaton:
    """Return the automaton of all texts of `least` to `most` characters."""
    last = least if most is None else most
    if last >= MAX_STATES:
        raise too_large()
    if last < least:
        return NOTHING
    states = [State(((ANY, n + 1),), n >= least) for n in range(last)]
    states.append(State(((ANY, last),) if most is None else (), True))
    return Automaton(tuple(states))


def trimmed(states: list[State]) -> Automaton:
    """Drop states from which no accepting state can be reached."""
    sources: dict[int, list[int]] = {}
    for index, state in enumerate(states):
        for _, to in state.transitions:
            sources.setdefault(to, []).append(index)
    alive: set[int] = set()
    pending = [index for index, state in enumerate(states) if state.accepts]
    while pending:
        index = pending.pop()
        if index not in alive:
            alive.add(index)
            pending.extend(sources.get(index, ()))
    if 0 not in alive:
        return NOTHING
    number = {old: new for new, old in enumerate(sorted(alive))}
    return Automaton(
        tuple(
            State(
                tuple((chars, number[to]) for chars, to in states[old].transitions if to in alive),
                states[old].accepts,
            )
            for old in number
        )
    )


def too_large() -> NotExpressible:
    return NotExpressible(f"its text needs an automaton of more than {MAX_STATES:,} states")


def _product(left: Automaton, right: Automaton, accepts: Callable[[bool, bool], bool]) -> Automaton:
    """Run two automata side by side; the right one may have fallen off (None)."""
    if not left:
        return NOTHING
    start = (0, 0 if right else None)
    number: dict[tuple[int, int | None], int] = {start: 0}
    pairs = [start]
    states = []
    for a, b in pairs:  # grows while it is walked
        other = State() if b is None else right.states[b]
        transitions = []
        for chars, to, other_to in _joint(left.states[a], other):
            pair = (to, other_to)
            if pair not in number:
                if len(pairs) == MAX_STATES:
                    raise too_large()
                number[pair] = len(pairs)
                pairs.append(pair)
            transitions.append((chars, number[pair]))
        states.append(State(tuple(transitions), accepts(left.states[a].accepts, other.accepts)))
    return trimmed(states)


def _joint(left: State, right: State) -> Iterable[tuple[CharSet, int, int | None]]:
    for chars, to in left.transitions:
        rest = chars
        for other_chars, other_to in right.transitions:
            if both := chars & other_chars:
                yield both, to, other_to
                rest -= other_chars
        if rest:
            yield rest, to, None
