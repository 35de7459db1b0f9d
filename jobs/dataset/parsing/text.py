"""Cuts text from people and from models into the parts that rows are made of."""

import re

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


def paragraphs(text: str) -> list[str]:
    """What blank lines part, trimmed; none of them is empty."""
    return [part.strip() for part in _BLANK_LINES.split(_plain(text)) if part.strip()]


def lines(text: str) -> list[str]:
    """Lines that are not blank, trimmed."""
    return [line.strip() for line in _plain(text).split("\n") if line.strip()]


def names(text: str) -> list[str]:
    """Words or phrases that commas or line ends part."""
    return [name.strip() for name in re.split(r"[,\n]", _plain(text)) if name.strip()]


def passages(text: str, least: int) -> list[str]:
    """Whole paragraphs, as many together as it takes to have `least` characters.

    What is left at the end and too short joins the passage before it. A text that is shorter
    altogether gives none.
    """
    found: list[str] = []
    gathered: list[str] = []
    for paragraph in paragraphs(text):
        gathered.append(paragraph)
        if sum(map(len, gathered)) >= least:
            found.append("\n\n".join(gathered))
            gathered = []
    if gathered and found:
        found[-1] = "\n\n".join([found[-1], *gathered])
    return found


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
