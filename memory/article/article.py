"""An article as a value: its text, and what the scanners find in it.

The text is the article. Everything else is looked up in it when it is asked for, so rendering
gives back every byte of what was parsed, whatever that was.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from memory.article.blocks import Block, find_blocks
from memory.article.categories import CategoryLine, find_categories
from memory.article.footnotes import Footnotes, find_footnotes
from memory.article.headings import slugify
from memory.article.infobox import Infobox, find_infobox
from memory.article.source import Source
from memory.article.templates import Template, find_templates
from memory.article.wikilinks import WikiLink, find_links, title_of


@dataclass(frozen=True)
class Article:
    """stem: the name of its file, without `.md`."""

    stem: str
    text: str

    def render(self) -> str:
        return self.text

    @cached_property
    def source(self) -> Source:
        return Source(self.text)

    @property
    def title(self) -> str:
        """What its first heading says, or else its name."""
        h1 = self.block("h1")
        return (h1.title if h1 else "") or title_of(self.stem)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return find_blocks(self.source, self.infobox, self._series)

    @cached_property
    def infobox(self) -> Infobox | None:
        return find_infobox(self.source)

    @cached_property
    def templates(self) -> list[Template]:
        return find_templates(self.source)

    @cached_property
    def footnotes(self) -> Footnotes:
        return find_footnotes(self.source)

    @cached_property
    def links(self) -> list[WikiLink]:
        """Links of the text; those of the infobox are its fields'."""
        return find_links(self.source)

    @cached_property
    def category_line(self) -> CategoryLine | None:
        return find_categories(self.source)

    @property
    def categories(self) -> tuple[str, ...]:
        return self.category_line.names if self.category_line else ()

    @property
    def series(self) -> str | None:
        """The article that this is a part of the series on."""
        return self._series.stem if self._series else None

    @property
    def redirect(self) -> str | None:
        """The article that stands for this one."""
        return next((t.stem for t in self.templates if t.kind == "redirect"), None)

    @property
    def is_stub(self) -> bool:
        return any(t.kind == "stub" for t in self.templates)

    @property
    def lead(self) -> str | None:
        block = self.block("lead")
        return self.body_of(block).strip() if block else None

    @cached_property
    def sections(self) -> list[Block]:
        """The blocks that begin with a heading, but for the title."""
        return [block for block in self.blocks if block.title is not None and block.kind != "h1"]

    def block(self, kind: str) -> Block | None:
        return next((block for block in self.blocks if block.kind == kind), None)

    def section(self, anchor: str) -> Block | None:
        """Return the first section whose heading has this anchor; its title does as well."""
        wanted = slugify(anchor.removeprefix("#"))
        return next((s for s in self.sections if slugify(s.title or "") == wanted), None)

    def section_at(self, line: int) -> Block | None:
        """Return the innermost section that holds a line; None above all of them."""
        at = bisect_right(self.sections, line, key=lambda section: section.first)
        return self.sections[at - 1] if at else None

    def body_of(self, block: Block) -> str:
        """Return the lines of a block as they stand in the text."""
        return "".join(self.source.lines[block.first - 1 : block.last])

    @cached_property
    def _series(self) -> Template | None:
        end = next((h.line for h in self.source.headings if h.depth > 1), None)
        found = next((t for t in self.templates if t.kind == "series"), None)
        return found if found and (end is None or found.line < end) else None
