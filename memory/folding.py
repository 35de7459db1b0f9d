"""How texts are compared: letter case and the composition of accents make no difference."""

import unicodedata


def fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def fold_name(name: str) -> str:
    """Fold a name; underscores and runs of spaces are one space."""
    return " ".join(fold(name).replace("_", " ").split())
