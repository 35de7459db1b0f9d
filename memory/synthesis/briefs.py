"""What the user's pages of policy say to the model: tables and points of a page of `Meta/`."""

import re

from memory.synthesis.clip import clip

LONGEST = 500  # characters; a small model forgets its task over a long brief
LONGEST_NAME = 60
_MARKUP = re.compile(r"[\[\]{}|<>#`*]")
_POINT = re.compile(r"^[ \t]*(?:[-*]|\d+\.)[ \t]+(\S.*)$", re.MULTILINE)


def points_of(page: str) -> list[str]:
    """Return the points of a page's lists, without the rest."""
    return [" ".join(match.split()) for match in _POINT.findall(page)]


def rows_of(page: str) -> list[str]:
    """Return the rows of a page's tables, each as `heading first cell: other cells.`"""
    rows: list[str] = []
    heading: str | None = None
    for line in map(str.strip, page.splitlines()):
        if not line.startswith("|"):
            heading = None
            continue
        first, *others = (cell.strip(" \t`") for cell in line.strip("|").split("|"))
        if heading is None:
            heading = first
        elif first.strip("-: "):
            rows.append(f"{heading} {first}: {', '.join(others)}.")
    return rows


def definitions_of(page: str) -> dict[str, str]:
    """Return what the points `name: what it is` of a page define, in their order."""
    pairs = (point.partition(":") for point in points_of(page))
    return {name.strip(): what.strip() for name, _, what in pairs if _is_name(name.strip())}


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST_NAME and not _MARKUP.search(text)


def brief(page: str) -> str:
    """Return a page's tables and points as one short text."""
    return clip(" ".join([*rows_of(page), *points_of(page)]), LONGEST)
