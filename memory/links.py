"""Which articles an article leads to, and by what."""

from dataclasses import dataclass
from enum import StrEnum

from memory.article.article import Article


class Via(StrEnum):
    """What makes a link."""

    PROSE = "prose"
    INFOBOX = "infobox"
    SEE_ALSO = "seealso"
    SERIES = "series"
    MAIN = "main"


@dataclass(frozen=True, slots=True)
class ArticleLink:
    """target: a stem as the text spells it; there may be no such article."""

    target: str
    anchor: str
    via: Via


def links_of(article: Article) -> list[ArticleLink]:
    """Return the links to other articles in the order of the text."""
    found: list[tuple[int, ArticleLink]] = []
    series = {t.line for t in article.templates if t.kind == "series"}
    main = {t.line for t in article.templates if t.kind == "main"}
    see_also_blocks = (block for block in article.blocks if block.kind == "see-also")
    see_also = {line for block in see_also_blocks for line in range(block.first, block.last + 1)}
    for link in article.links:
        via = Via.PROSE
        if link.line in series:
            via = Via.SERIES
        elif link.line in main:
            via = Via.MAIN
        elif link.line in see_also:
            via = Via.SEE_ALSO
        found.append((link.line, ArticleLink(link.stem, link.anchor, via)))
    for fact in article.infobox.entries if article.infobox else ():
        found += (
            (link.line, ArticleLink(link.stem, link.anchor, Via.INFOBOX)) for link in fact.links
        )
    found.sort(key=lambda item: item[0])
    return [link for _, link in found if link.target and link.target != article.stem]
