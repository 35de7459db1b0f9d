"""The parts of an article that a stage may change, and whose words they are.

A part is the infobox, the lead, the line of categories, or a section of the second level. Synthesis
notes a hash of each part that it wrote. A part with another hash is a person's: its words are never
replaced.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.article.article import Article
from memory.article.blocks import Block
from memory.article.wikilinks import title_of
from memory.synthesis.citing import first_sentence, without_marks

LEAD, INFOBOX, CATEGORIES = "", "#infobox", "#categories"
HISTORY = "History"
LONGEST_HEADING = 255  # characters
_MARKER_NUMBER = re.compile(r"\[\^\d+\]")
_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")


@dataclass(frozen=True, slots=True)
class Part:
    """name: of a section its heading. text: all of it. body: without the heading."""

    name: str
    block: Block
    text: str

    @property
    def is_section(self) -> bool:
        """Whether it is a section that holds what chats told, rather than what code lists."""
        return self.block.kind == "section" and self.name != HISTORY

    @property
    def body(self) -> str:
        if self.block.title is None:
            return self.text.strip()
        return self.text.partition("\n")[2].strip()

    @property
    def hash(self) -> str:
        """Equal for equal words; code alone numbers footnotes."""
        return digest(_MARKER_NUMBER.sub("[^]", self.text.strip()))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parts_of(article: Article) -> dict[str, Part]:
    """Return parts by name, in the order of the text; none whose name is there twice."""
    found: dict[str, Part] = {}
    twice: set[str] = set()
    for block in sorted([*article.blocks, *_categories(article)], key=lambda block: block.first):
        name = _name(article, block)
        if name is None:
            continue
        if name in found:
            twice.add(name)
        found[name] = Part(name, block, article.body_of(block))
    return {name: part for name, part in found.items() if name not in twice}


def owned_parts(article: Article, recorded: Mapping[str, str]) -> set[str]:
    """Return the names of parts that are as synthesis left them."""
    return {name for name, part in parts_of(article).items() if recorded.get(name) == part.hash}


def recorded_after(before: Article | None, after: Article, owned: set[str]) -> dict[str, str]:
    """Return what to note once `after` is written: parts that were ours, and new ones."""
    theirs = set(parts_of(before)) - owned if before is not None else set()
    return {name: part.hash for name, part in parts_of(after).items() if name not in theirs}


def _categories(article: Article) -> list[Block]:
    found = article.category_line
    return [Block("categories", found.line, found.line)] if found else []


def _name(article: Article, block: Block) -> str | None:
    match block.kind:
        case "lead":
            return LEAD
        case "infobox":
            return INFOBOX
        case "categories":
            return CATEGORIES
        case "section" | "see-also" if block.depth == 2 and block.title and _fits(block.title):
            # Two headings with one anchor could be taken for each other.
            return block.title if article.section(block.title) == block else None
    return None


def plain(text: str) -> str:
    """Return what is read of a text: without marks of footnotes, and of links what they show."""
    return _LINK.sub(_shown, without_marks(text))


def summary_of(article: Article) -> str:
    """Return the lead and the first sentence of each section, as they are read."""
    parts = parts_of(article)
    lead = [parts[LEAD].body] if LEAD in parts else []
    firsts = (first_sentence(part.body) for part in parts.values() if part.is_section)
    return plain(" ".join([*lead, *firsts]))


def facts_of(article: Article) -> str:
    """Return all that the article says to be so now, as it is read."""
    parts = parts_of(article)
    return plain(" ".join(p.body for p in parts.values() if p.name == LEAD or p.is_section))


def _shown(link: "re.Match[str]") -> str:
    place, bar, shown = link[1].partition("|")
    return shown if bar else title_of(place)


def _fits(title: str) -> bool:
    """Whether a heading can be noted in the ledger; no other part is looked at."""
    return len(title) <= LONGEST_HEADING
