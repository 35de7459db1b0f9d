"""Which module gets how many bits, so that the harm is least within a size: a knapsack.

Harm is additive over modules, and both harm and size of a module depend on its own width
alone. Raising the widths that save most harm for a byte, along the convex hull of each
module's choices, is optimal up to the last raise; what room is left then goes to whichever
raise still fits.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

Choices = Mapping[int, tuple[int, float]]
"""By bits: the bytes a module then takes, and the harm, in any unit that adds up."""


@dataclass(frozen=True, slots=True, order=True)
class _Raise:
    """A step from one width to a wider one; the best compares as the smallest."""

    negative_gain: float
    name: str
    bits: int
    more_bytes: int


def allocate(choices: Mapping[str, Choices], budget_bytes: int) -> dict[str, int] | None:
    """Return bits by module; None if even the smallest choices take more than the budget.

    Every module has at least one choice. Deterministic.
    """
    chosen = {
        name: min(options, key=lambda bits: options[bits][0]) for name, options in choices.items()
    }
    room = budget_bytes - sum(choices[name][bits][0] for name, bits in chosen.items())
    if room < 0:
        return None
    ladders = {name: _hull(options) for name, options in choices.items()}
    heap = [step for name, ladder in ladders.items() for step in _steps(name, ladder, 0)]
    heapify(heap)
    places = dict.fromkeys(ladders, 0)
    while heap:
        step = heappop(heap)
        if step.more_bytes > room:
            continue  # the next of this module costs even more; others may fit
        room -= step.more_bytes
        chosen[step.name] = step.bits
        places[step.name] += 1
        for following in _steps(step.name, ladders[step.name], places[step.name]):
            heappush(heap, following)
    _fill(choices, chosen, room)
    return chosen


def _hull(options: Choices) -> list[tuple[int, int, float]]:
    """(bits, bytes, harm) on the lower convex hull, ever larger and ever less harmful."""
    points = sorted((size, harm, bits) for bits, (size, harm) in options.items())
    hull: list[tuple[int, int, float]] = []
    for size, harm, bits in points:
        if hull and harm >= hull[-1][2]:
            continue
        while len(hull) > 1 and _gain(hull[-2], hull[-1]) <= _gain(hull[-2], (bits, size, harm)):
            hull.pop()
        hull.append((bits, size, harm))
    return hull


def _gain(low: tuple[int, int, float], high: tuple[int, int, float]) -> float:
    return (low[2] - high[2]) / max(high[1] - low[1], 1)


def _steps(name: str, ladder: list[tuple[int, int, float]], place: int) -> Iterator[_Raise]:
    if place + 1 < len(ladder):
        low, high = ladder[place], ladder[place + 1]
        yield _Raise(-_gain(low, high), name, high[0], high[1] - low[1])


def _fill(choices: Mapping[str, Choices], chosen: dict[str, int], room: int) -> None:
    """Spend what is left, on whatever saves most."""
    while True:
        best: tuple[float, str, int, int] | None = None
        for name, options in choices.items():
            size, harm = options[chosen[name]]
            for bits, (larger, less) in options.items():
                saved = harm - less
                if 0 < larger - size <= room and saved > 0 and (best is None or saved > best[0]):
                    best = (saved, name, bits, larger - size)
        if best is None:
            return
        _, name, bits, more = best
        chosen[name] = bits
        room -= more
