"""Fenced blocks of code: where they begin and end, also if one was never closed.

A fence is closed as CommonMark has it. One that nothing closes ends before the next heading, so
that a slip of the pen hides a section and not the rest of the article. In a text with an odd
number of fences, one that meets the beginning of another before its end was not closed either.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memory.article.lines import content_of

SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Fence:
    """first, last: lines counted from 1, the fences themselves included.

    info: what stands behind the first fence, as `info` or `python`.
    """

    first: int
    last: int
    info: str
    is_closed: bool

    @property
    def inside(self) -> range:
        """The numbers of the lines between the fences."""
        return range(self.first + 1, self.last if self.is_closed else self.last + 1)


class _Mark(NamedTuple):
    """A line that looks like a fence; `line` counted from 0."""

    line: int
    character: str
    length: int
    info: str


def find_fences(lines: Sequence[str], headings: Sequence[int]) -> list[Fence]:
    """Return the fences in order. headings: lines, from 0, that look like headings; sorted.

    Takes linear time, but for a logarithm.
    """
    marks = [mark for number, line in enumerate(lines) if (mark := _read(line, number))]
    closers = _nearest(marks, lambda mark: not mark.info)
    openers = _nearest(marks, lambda mark: bool(mark.info)) if len(marks) % 2 else {}
    found: list[Fence] = []
    free = 0  # the first line that is in no fence yet
    for mark in marks:
        if mark.line < free:
            continue
        closer, opener = closers.get(mark.line), openers.get(mark.line)
        if closer is not None and (opener is None or closer < opener):
            free = closer + 1
            found.append(Fence(mark.line + 1, free, mark.info, is_closed=True))
        else:
            heading = bisect_right(headings, mark.line)
            stops = [len(lines), *headings[heading : heading + 1]]
            free = min([*stops, opener] if opener is not None else stops)
            found.append(Fence(mark.line + 1, free, mark.info, is_closed=False))
    return found


def _read(line: str, number: int) -> _Mark | None:
    text = content_of(line)
    stripped = text.lstrip(" ")
    character = stripped[:1]
    if len(text) - len(stripped) > 3 or character not in ("`", "~"):
        return None
    info = stripped.lstrip(character)
    length = len(stripped) - len(info)
    if length < SHORTEST or (character == "`" and "`" in info):
        return None
    return _Mark(number, character, length, info.strip())


def _nearest(marks: Sequence[_Mark], is_wanted: Callable[[_Mark], bool]) -> dict[int, int]:
    """Return for the line of each mark that of the next wanted one of its kind, as long or longer.

    Of two wanted marks, the nearer hides the farther unless that is longer. So candidates make
    a stack whose lengths fall towards its top, and a bisection finds the nearest long enough.
    """
    stacks: dict[str, tuple[list[int], list[int]]] = {"`": ([], []), "~": ([], [])}
    found: dict[int, int] = {}
    for mark in reversed(marks):
        negative_lengths, lines = stacks[mark.character]
        at = bisect_right(negative_lengths, -mark.length) - 1
        if at >= 0:
            found[mark.line] = lines[at]
        if is_wanted(mark):
            while negative_lengths and negative_lengths[-1] >= -mark.length:
                negative_lengths.pop()
                lines.pop()
            negative_lengths.append(-mark.length)
            lines.append(mark.line)
    return found
