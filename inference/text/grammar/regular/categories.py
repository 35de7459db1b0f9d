"""Unicode's general categories as sets of characters: what `\\p{L}` stands for."""

import unicodedata
from functools import cache
from itertools import groupby

from inference.text.grammar.regular.char_set import CharSet, Interval

_LAST = 0x10FFFF
_LONG_NAMES = {
    "Letter": "L",
    "Uppercase_Letter": "Lu",
    "Lowercase_Letter": "Ll",
    "Mark": "M",
    "Number": "N",
    "Decimal_Number": "Nd",
    "Punctuation": "P",
    "Symbol": "S",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Control": "Cc",
}


@cache
def category(name: str) -> CharSet | None:
    """Return the characters of a category by its short name, or a usual long one."""
    short = _LONG_NAMES.get(name, name)
    found = [spans for key, spans in _spans().items() if key.startswith(short)]
    if not found or not 1 <= len(short) <= 2:
        return None
    return CharSet.of(span for spans in found for span in spans)


@cache
def _spans() -> dict[str, list[Interval]]:
    """Return the intervals of each category, by its two letters; a third of a second."""
    spans: dict[str, list[Interval]] = {}
    for key, run in groupby(range(_LAST + 1), lambda code: unicodedata.category(chr(code))):
        codes = list(run)
        spans.setdefault(key, []).append((codes[0], codes[-1]))
    return spans
