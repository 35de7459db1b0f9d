"""The kinds of value that options of the server take: how text is read, and what is allowed."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from inference.kv_quant import KvQuant


@dataclass(frozen=True, slots=True)
class Kind:
    """What values an option takes.

    read: text to value; raises ValueError for anything else.
    allowed: the accepted values in words, for messages and the docs.
    """

    read: Callable[[str], Any]
    allowed: str
    metavar: str | None = None


def _number(convert: Callable[[str], float], low: float, high: float, noun: str) -> Kind:
    def read(text: str) -> float:
        value = convert(text)
        # NaN fails every comparison, so it is refused with the infinities.
        if not low <= value <= high or not math.isfinite(value):
            raise ValueError(text)
        return value

    return Kind(read, f"{noun} from {low:,} to {high:,}", "N")


def whole(low: int, high: int) -> Kind:
    """A decimal integer in [low, high]."""
    return _number(lambda text: int(text, 10), low, high, "a whole number")


def real(low: float, high: float) -> Kind:
    """A finite decimal number in [low, high]."""
    return _number(float, low, high, "a number")


def choice(*names: str) -> Kind:
    """One of a few words."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError(text)
        return text

    return Kind(read, "one of " + ", ".join(names), "|".join(names))


def text(metavar: str) -> Kind:
    """Any text that is not blank; surrounding blanks are dropped."""

    def read(value: str) -> str:
        if not value.strip():
            raise ValueError(value)
        return value.strip()

    return Kind(read, "text that is not empty", metavar)


def _read_host(value: str) -> str:
    host = value.strip().removeprefix("[").removesuffix("]")
    if not re.fullmatch(r"[0-9A-Za-z.:_%-]+", host):
        raise ValueError(value)
    return host


def _read_switch(value: str) -> bool:
    if value not in ("0", "1"):
        raise ValueError(value)
    return value == "1"


def _read_toggle(value: str) -> bool:
    meaning = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
    if value not in meaning:
        raise ValueError(value)
    return meaning[value]


HOST: Final = Kind(_read_host, "a host name or an IP address", "HOST")
KV_QUANT: Final = Kind(KvQuant.parse, KvQuant.ALLOWED, "off|4|8|config|turbo")
SWITCH: Final = Kind(_read_switch, "1 or 0")
TOGGLE: Final = Kind(_read_toggle, "true, on or 1; false, off or 0", "true|false")
