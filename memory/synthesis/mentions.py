"""Finds names of articles in prose, and makes links of their first mentions. Pure.

A name of one word is found as it is spelt; in longer ones, and in the first letter of a name
that begins a sentence, letter case does not count.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memory.article.code_spans import blank_out_code
from memory.article.wikilinks import LINK, title_of

_WORD = re.compile(r"\w+")
# The target of a link may hold brackets, as addresses do, but none within these.
_MARK = re.compile(r"\[\^[^\[\]\s]*\]|https?://\S+|\]\((?:[^()]|\([^()]*\))*\)")
SHORTEST = 2  # characters of a name


@dataclass(frozen=True, slots=True)
class Mention:
    stem: str
    start: int
    end: int


class Names:
    """Names of articles by their first word, longest first."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        """names: of each stem, its title and its aliases."""
        self._by_word: dict[str, list[tuple[str, str]]] = {}
        for stem, spelt in names.items():
            for name in spelt:
                words = _WORD.findall(name)
                if len(name) >= SHORTEST and words and name.startswith(words[0]):
                    self._by_word.setdefault(words[0].casefold(), []).append((name, stem))
        for found in self._by_word.values():
            found.sort(key=lambda pair: (-len(pair[0]), pair))

    def mentions(self, line: str) -> Iterator[Mention]:
        """Yield the names that stand in a line, outside of links, code and marks."""
        text = _MARK.sub(_blank, LINK.sub(_blank, blank_out_code(line)))
        free = 0
        for word in _WORD.finditer(text):
            if word.start() < free:
                continue
            for name, stem in self._by_word.get(word[0].casefold(), ()):
                end = word.start() + len(name)
                if _is_name(text[word.start() : end], name) and not _goes_on(text, end):
                    yield Mention(stem, word.start(), end)
                    free = end
                    break


def link_first(
    lines: list[str], numbers: Iterable[int], names: Names, linked: set[str]
) -> list[str]:
    """Return the lines with a link in place of each name's first mention.

    numbers: lines that may be changed, from 0. linked: stems that are, or never will be.
    """
    lines, linked = list(lines), set(linked)
    for number in numbers:
        line, at = lines[number], 0
        pieces: list[str] = []
        for mention in names.mentions(line):
            if mention.stem in linked:
                continue
            linked.add(mention.stem)
            shown = line[mention.start : mention.end]
            link = mention.stem if shown == title_of(mention.stem) else f"{mention.stem}|{shown}"
            pieces += line[at : mention.start], f"[[{link}]]"
            at = mention.end
        lines[number] = "".join([*pieces, line[at:]])
    return lines


def _is_name(text: str, name: str) -> bool:
    if " " in name.strip():
        return text.casefold() == name.casefold()
    return text == name


def _goes_on(text: str, end: int) -> bool:
    """Whether a word goes on behind a name."""
    return end < len(text) and bool(re.match(r"\w", text[end]))


def _blank(match: "re.Match[str]") -> str:
    return " " * len(match[0])
