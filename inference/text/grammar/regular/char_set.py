"""Sets of Unicode characters, as sorted intervals of code points.

Surrogates are in no set: they are halves of characters, and UTF-8 has no bytes for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CharSet:
    """Characters by code point. `intervals` are inclusive, sorted, apart from one another."""

    intervals: tuple[Interval, ...] = ()

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> "CharSet":
        """Return the union of intervals in any order."""
        merged: list[Interval] = []
        for low, high in sorted(intervals):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], high))
            elif low <= high:
                merged.append((low, high))
        return cls(tuple(piece for span in merged for piece in _without_surrogates(span)))

    @classmethod
    def chars(cls, text: str) -> "CharSet":
        """Return the set of the characters of `text`."""
        return _of_one(text) if len(text) == 1 else cls.of((ord(char), ord(char)) for char in text)

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def __contains__(self, code_point: int) -> bool:
        return any(low <= code_point <= high for low, high in self.intervals)

    def __or__(self, other: "CharSet") -> "CharSet":
        return CharSet.of(self.intervals + other.intervals)

    def __and__(self, other: "CharSet") -> "CharSet":
        both = []
        for low, high in self.intervals:
            for other_low, other_high in other.intervals:
                if other_low > high:
                    break
                if other_high >= low:
                    both.append((max(low, other_low), min(high, other_high)))
        return CharSet(tuple(both))

    def __invert__(self) -> "CharSet":
        gaps, start = [], 0
        for low, high in self.intervals:
            gaps.append((start, low - 1))
            start = high + 1
        return CharSet.of([*gaps, (start, _LAST)])

    def __sub__(self, other: "CharSet") -> "CharSet":
        return self & ~other


@lru_cache(maxsize=4096)
def _of_one(char: str) -> CharSet:
    return CharSet.of([(ord(char), ord(char))])


def _without_surrogates(span: Interval) -> Iterable[Interval]:
    low, high = span
    if low < _SURROGATES[0]:
        yield low, min(high, _SURROGATES[0] - 1)
    if high > _SURROGATES[1]:
        yield max(low, _SURROGATES[1] + 1), high


ANY = CharSet.of([(0, _LAST)])
DIGITS = CharSet.of([(0x30, 0x39)])
WORD = DIGITS | CharSet.of([(0x41, 0x5A), (0x61, 0x7A)]) | CharSet.chars("_")
# What ECMA-262 calls white space and line ends.
SPACE = CharSet.chars(" \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | CharSet.of(
    [(0x2000, 0x200A)]
)
LINE_ENDS = CharSet.chars("\n\r\u2028\u2029")
