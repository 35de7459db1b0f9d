"""Footnotes that cite chunks."""

from memory.article.article import Article
from memory.article.blocks import Block
from memory.article.footnote_edits import add_footnote
from memory.article.footnotes import Citation
from memory.synthesis.models import Chunk


def citation_of(chunk: Chunk) -> Citation:
    conversation = chunk.conversation
    return Citation(
        conversation.hash8, chunk.at.date().isoformat(), conversation.source, chunk.label
    )


def cite(article: Article, chunk: Chunk) -> tuple[Article, str]:
    """Define a footnote for a chunk; returns its label, whose marker is yet to be put in."""
    return add_footnote(article, citation_of(chunk))


def dates_in(article: Article, block: Block) -> list[str]:
    """Return the dates of the citations within a block, as YYYY-MM-DD."""
    cited = {m.label for m in article.footnotes.markers if block.first <= m.line <= block.last}
    return [
        definition.citation.date
        for definition in article.footnotes.definitions
        if definition.label in cited and definition.citation is not None
    ]
