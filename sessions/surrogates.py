"""Halves of surrogate pairs: JSON and names of files can hold them, UTF-8 and the page cannot."""

import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


def replace_halves(text: str) -> str:
    """Return the text with the sign for what cannot be read in place of each half."""
    return _HALF.sub("\ufffd", text)


def replace_halves_in(value: Any) -> Any:
    """Return a value of JSON with every text in it so."""
    match value:
        case str():
            return replace_halves(value)
        case dict():
            return {replace_halves_in(key): replace_halves_in(each) for key, each in value.items()}
        case list() | tuple():
            return [replace_halves_in(each) for each in value]
    return value
