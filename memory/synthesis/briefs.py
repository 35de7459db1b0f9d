"""What the user's pages of policy say to the model: the points of a page of `Meta/`."""

import re

from memory.synthesis.clip import clip

LONGEST = 500  # characters; a small model forgets its task over a long brief
_POINT = re.compile(r"^[ \t]*(?:[-*]|\d+\.)[ \t]+(\S.*)$", re.MULTILINE)


def points_of(page: str) -> list[str]:
    """Return the points of a page's lists, without the rest."""
    return [" ".join(match.split()) for match in _POINT.findall(page)]


def brief(page: str) -> str:
    """Return a page's points as one short text."""
    return clip(" ".join(points_of(page)), LONGEST)
