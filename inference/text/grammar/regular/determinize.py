"""From the tree of a regular expression to its automaton.

Source: Thompson, "Regular expression search algorithm", CACM 1968; subset construction:
Rabin and Scott, 1959.
"""

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.automaton import (
    MAX_STATES,
    Automaton,
    State,
    too_large,
    trimmed,
)
from inference.text.grammar.regular.char_set import ANY, CharSet
from inference.text.grammar.regular.parser import parse
from inference.text.grammar.regular.syntax import (
    Branch,
    Chars,
    Concat,
    Either,
    Node,
    Repeat,
    Rest,
)

# Steps of the subset construction; a second or so.
_MAX_WORK = 2_000_000
_ANY_TEXT = Repeat(Chars(ANY))


def whole_match(pattern: str) -> Automaton:
    """Return the automaton of the texts that a pattern matches from end to end."""
    return automaton_of(Either(tuple(branch.body for branch in parse(pattern))))


def search_match(pattern: str) -> Automaton:
    """Return the automaton of the texts in which a pattern is found, as JSON Schema asks."""
    return automaton_of(Either(tuple(_anywhere(branch) for branch in parse(pattern))))


def automaton_of(node: Node) -> Automaton:
    """Return the automaton of a tree. Raises NotExpressible when it grows too large."""
    nfa = _Nfa()
    end = nfa.add(node, nfa.state())
    return _Subsets(nfa, end).automaton()


def _anywhere(branch: Branch) -> Node:
    before = () if branch.at_start else (_ANY_TEXT,)
    after = () if branch.at_end else (Rest(),)
    return Concat((*before, branch.body, *after))


class _Nfa:
    """States with edges on sets of characters, and edges that take none."""

    def __init__(self) -> None:
        self.edges: list[list[tuple[CharSet, int]]] = []
        self.free: list[list[int]] = []
        self.rests: set[int] = set()

    def state(self) -> int:
        if len(self.edges) == 4 * MAX_STATES:
            raise too_large()
        self.edges.append([])
        self.free.append([])
        return len(self.edges) - 1

    def add(self, node: Node, start: int) -> int:
        """Lay `node` from the state `start`; return the state behind it."""
        match node:
            case Chars(chars):
                end = self.state()
                self.edges[start].append((chars, end))
                return end
            case Concat(parts):
                for part in parts:
                    start = self.add(part, start)
                return start
            case Either(options):
                end = self.state()
                for option in options:
                    self.free[self.add(option, self._branch_from(start))].append(end)
                return end
            case Rest():
                rest = self._branch_from(start)
                self.edges[rest].append((ANY, rest))
                self.rests.add(rest)
                return rest
            case Repeat():
                return self._repeat(node, start)

    def _branch_from(self, start: int) -> int:
        first = self.state()
        self.free[start].append(first)
        return first

    def _repeat(self, node: Repeat, start: int) -> int:
        for _ in range(node.least):
            start = self.add(node.body, start)
        if node.most is None:
            loop = self._branch_from(start)
            self.free[self.add(node.body, loop)].append(loop)
            return loop
        end = self.state()
        for _ in range(node.most - node.least):
            self.free[start].append(end)
            start = self.add(node.body, start)
        self.free[start].append(end)
        return end


class _Subsets:
    """The subset construction, within a budget of work."""

    def __init__(self, nfa: _Nfa, end: int) -> None:
        self._nfa = nfa
        self._end = end
        self._work = 0
        self._number: dict[frozenset[int], int] = {}
        self._sets: list[frozenset[int]] = []

    def automaton(self) -> Automaton:
        self._numbered(self._closure([0]))
        states = []
        for members in self._sets:  # grows while it is walked
            states.append(State(tuple(self._transitions(members)), self._end in members))
        return trimmed(states)

    def _numbered(self, members: frozenset[int]) -> int:
        if members not in self._number:
            if len(self._sets) == MAX_STATES:
                raise too_large()
            self._number[members] = len(self._sets)
            self._sets.append(members)
        return self._number[members]

    def _closure(self, roots: list[int]) -> frozenset[int]:
        found = set(roots)
        pending = list(roots)
        while pending:
            for to in self._nfa.free[pending.pop()]:
                if to not in found:
                    found.add(to)
                    pending.append(to)
        self._spend(len(found))
        if rests := found & self._nfa.rests:
            # Whatever follows is accepted, so what else could be matched makes no difference.
            return frozenset((min(rests), self._end))
        return frozenset(found)

    def _transitions(self, members: frozenset[int]) -> list[tuple[CharSet, int]]:
        """Cut the edges of all members into disjoint sets, one for each set of targets."""
        changes: dict[int, list[tuple[int, int]]] = {}
        for member in members:
            for chars, to in self._nfa.edges[member]:
                for low, high in chars.intervals:
                    changes.setdefault(low, []).append((to, 1))
                    changes.setdefault(high + 1, []).append((to, -1))
        spans: dict[frozenset[int], list[tuple[int, int]]] = {}
        active: dict[int, int] = {}
        points = sorted(changes)
        for index, point in enumerate(points):
            for to, step in changes[point]:
                active[to] = active.get(to, 0) + step
                if active[to] == 0:
                    del active[to]
            targets = frozenset(active)
            self._spend(len(active))
            if targets:
                spans.setdefault(targets, []).append((point, points[index + 1] - 1))
        merged: dict[int, CharSet] = {}
        for targets, intervals in spans.items():
            to = self._numbered(self._closure(sorted(targets)))
            merged[to] = merged.get(to, CharSet()) | CharSet.of(intervals)
        return [(chars, to) for to, chars in merged.items() if chars]

    def _spend(self, steps: int) -> None:
        self._work += steps
        if self._work > _MAX_WORK:
            raise NotExpressible("its text needs an automaton that takes too long to build")
