"""Tools that read our own documentation, and the one that says what there is."""

from collections.abc import Mapping
from typing import Any

from memory.article.headings import slugify
from memory.catalog import Catalog, Entry
from memory.errors import ArticleNotFound
from memory.search import pages_in, search
from memory.tools.base import (
    Tool,
    ToolFailed,
    arguments,
    optional_text,
    required_text,
    text,
)
from memory.tools.looking_up import DEFAULT_HITS, found_text
from memory.tools.reading import LARGEST_UNASKED, read_text, section_text
from memory.tools.skill import SKILL
from memory.vault import REFERENCE_PREFIX


def status_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        snapshot = catalog.snapshot()
        counts = f"{len(snapshot.articles)} articles, {len(snapshot.reference)} pages of reference."
        return f"{counts}\n\n{SKILL}"

    return Tool(
        "memory_status", "How much the memory holds, and how to read it well.", arguments(), run
    )


def reference_list_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        pages = catalog.snapshot().reference.values()
        return "\n".join(f"{e.name}: {e.article.title}" for e in pages) or "There are no pages."

    return Tool(
        "reference_list", "List the manual of this program, page by page.", arguments(), run
    )


def reference_search_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        query = required_text(args, "query")
        pages = pages_in(catalog.snapshot(), "reference")
        return found_text(search(pages, query, DEFAULT_HITS), query)

    return Tool(
        "reference_search",
        "Search the manual of this program: its options, routes and features.",
        arguments(("query",), query=text("A few words")),
        run,
    )


def reference_read_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        article = _find(catalog, required_text(args, "article")).article
        section = optional_text(args, "section")
        if section is not None:
            return section_text(article, slugify(section))
        return read_text(article, LARGEST_UNASKED, "reference_read and its section")

    return Tool(
        "reference_read",
        "Read a page of the manual: what it is about, or one of its sections.",
        arguments(
            ("article",),
            article=text("A page, as reference_list names it"),
            section=text("A section of it"),
        ),
        run,
    )


def _find(catalog: Catalog, name: str) -> Entry:
    """Raises ToolFailed."""
    name = REFERENCE_PREFIX + name.removeprefix(REFERENCE_PREFIX)
    try:
        return catalog.snapshot().get(name)
    except ArticleNotFound:
        raise ToolFailed(f"There is no page {name!r}. reference_list names them all.") from None
