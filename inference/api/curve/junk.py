"""Tells text that has come apart from text that has not, roughly."""

import re
import unicodedata

_MOST_FOREIGN = 0.02  # of the letters
_UNUSED = re.compile(r"<unused\d+>")


def is_junk(text: str) -> bool:
    """Whether a text holds letters of other scripts than Latin, broken characters, or markers."""
    if "\ufffd" in text or _UNUSED.search(text):
        return True
    letters = [character for character in text if character.isalpha()]
    foreign = sum("LATIN" not in unicodedata.name(letter, "") for letter in letters)
    return bool(letters) and foreign / len(letters) >= _MOST_FOREIGN
