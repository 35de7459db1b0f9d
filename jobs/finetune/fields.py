"""Kinds of values that a field of a fine-tuning request may have: read, and said in words."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class Kind(Protocol):
    """One kind of value."""

    @property
    def allowed(self) -> str:
        """What is accepted, as the end of a sentence that begins with "allowed:"."""

    def read(self, value: object) -> Any:
        """Return the value as Python has it; raises ValueError for any other."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within limits, both included."""

    minimum: int
    maximum: int
    besides: str = ""
    """What a special number in the range means, in words."""

    @property
    def allowed(self) -> str:
        words = f"a whole number from {self.minimum:,} to {self.maximum:,}"
        return f"{words} ({self.besides})" if self.besides else words

    def read(self, value: object) -> int:
        number = _number(value)
        if not float(number).is_integer() or not self.minimum <= number <= self.maximum:
            raise ValueError
        return int(number)


@dataclass(frozen=True, slots=True)
class Real:
    """A finite number, from `minimum` (or above it) to `maximum`."""

    minimum: float
    maximum: float
    above: bool = False

    @property
    def allowed(self) -> str:
        first = (
            f"a number above {self.minimum:g}" if self.above else f"a number from {self.minimum:g}"
        )
        return f"{first}, up to {self.maximum:g}" if self.above else f"{first} to {self.maximum:g}"

    def read(self, value: object) -> float:
        number = float(_number(value))
        too_small = number <= self.minimum if self.above else number < self.minimum
        if too_small or number > self.maximum:
            raise ValueError
        return number


@dataclass(frozen=True, slots=True)
class Word:
    """One of a few strings."""

    words: type[StrEnum]

    @property
    def allowed(self) -> str:
        return " or ".join(self.words)

    def read(self, value: object) -> StrEnum:
        if not isinstance(value, str):
            raise ValueError
        return self.words(value)  # raises ValueError itself


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean."""

    allowed: str = "true or false"

    def read(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """A string that is not blank."""

    allowed: str = "a text that is not blank"

    def read(self, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise ValueError
        return value.strip()


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names, at least one; on a command line, one text with commas."""

    allowed: str = "a list of names, at least one"

    def read(self, value: object) -> tuple[str, ...]:
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, list | tuple) or not items:
            raise ValueError
        return tuple(dict.fromkeys(Text().read(item) for item in items))


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    try:
        if not math.isfinite(value):
            raise ValueError
    except OverflowError:  # a whole number that is larger than any other
        raise ValueError from None
    return value
