"""The line `categories: [[Category:Name]], [[Category:Other]]`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory.article.source import Source
from memory.article.wikilinks import CATEGORY, LINK

_KEY = re.compile(r"\s*categories\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CategoryLine:
    line: int
    names: tuple[str, ...]


def is_category_line(line: str) -> bool:
    return _KEY.match(line) is not None


def category_line_of(names: Iterable[str]) -> str:
    return f"categories: {', '.join(f'[[Category:{name}]]' for name in names)}"


def find_categories(source: Source) -> CategoryLine | None:
    """Return the first line of categories outside of code; each name once, in order."""
    for number, line in source.prose_lines:
        if is_category_line(line):
            inner = (match.group(1).strip() for match in LINK.finditer(line))
            names = [
                name
                for text in inner
                if text.lower().startswith(CATEGORY) and (name := text[len(CATEGORY) :].strip())
            ]
            return CategoryLine(number, tuple(dict.fromkeys(names)))
    return None
