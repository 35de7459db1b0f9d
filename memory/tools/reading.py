"""Tools that read an article: in short, one section, its facts, its links."""

from collections.abc import Mapping
from typing import Any

from memory.article.article import Article
from memory.article.headings import slugify
from memory.catalog import Catalog, Entry, Snapshot
from memory.errors import ArticleNotFound
from memory.folding import fold_name
from memory.tools.base import (
    Tool,
    ToolFailed,
    arguments,
    clipped,
    listed,
    required_text,
    text,
)

LARGEST_WHOLE = 6000  # characters; a larger article is read in sections
LARGEST_UNASKED = 1500  # characters; a smaller article is shown whole at once
MOST_LINKS = 40

_STEM = text("The article's name, as memory_resolve returns it")


def read_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        article = find(catalog.snapshot(), required_text(args, "stem")).article
        whole = LARGEST_WHOLE if args.get("force") is True else LARGEST_UNASKED
        return read_text(article, whole, "memory_section")

    return Tool(
        "memory_read",
        "Read what an article is about, and which sections it has. Read these with memory_section.",
        arguments(
            ("stem",),
            stem=_STEM,
            force={"type": "boolean", "description": "All of it at once, unless it is large"},
        ),
        run,
    )


def section_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        article = find(catalog.snapshot(), required_text(args, "stem")).article
        return section_text(article, required_text(args, "anchor"))

    return Tool(
        "memory_section",
        "Read one section of an article.",
        arguments(("stem", "anchor"), stem=_STEM, anchor=text("As memory_read lists it")),
        run,
    )


def infobox_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        entry = find(catalog.snapshot(), required_text(args, "stem"))
        infobox = entry.article.infobox
        if infobox is None or not infobox.entries:
            return f"{entry.name} has no infobox. Its lead says what it is about: memory_read."
        return "\n".join(f"{fact.key}: {fact.value}" for fact in infobox.entries)

    return Tool(
        "memory_infobox",
        "Read the facts of an article: dates, names, places, as key and value.",
        arguments(("stem",), stem=_STEM),
        run,
    )


def links_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        snapshot = catalog.snapshot()
        name = find(snapshot, required_text(args, "stem")).name
        outbound, inbound = snapshot.outbound(name), snapshot.inbound.get(name, [])
        if not outbound and not inbound:
            return f"{name} leads nowhere, and nothing leads there."
        told = [
            f"{label}: {listed(names, MOST_LINKS, '')}".strip().replace("\n", ", ")
            for label, names in (("Leads to", outbound), ("Linked from", inbound))
            if names
        ]
        return "\n".join(told)

    return Tool(
        "memory_links",
        "List the articles that an article leads to, and those that lead there.",
        arguments(("stem",), stem=_STEM),
        run,
    )


def find(snapshot: Snapshot, stem: str) -> Entry:
    """Return an article by its name or any other name that means it alone. Raises ToolFailed."""
    try:
        return snapshot.get(stem)
    except ArticleNotFound:
        found = snapshot.surfaces.get(fold_name(stem), [])
        if len(found) == 1 and found[0] in snapshot.articles:
            return snapshot.articles[found[0]]
    raise ToolFailed(f"There is no article {stem!r}. Find its name with memory_resolve.")


def read_text(article: Article, largest_whole: int, section_tool_name: str) -> str:
    """Return a small article whole, of a large one the lead and a table of contents."""
    if len(article.text) <= largest_whole:
        return article.text
    contents = [
        f"{'  ' * ((section.depth or 2) - 2)}- {slugify(section.title or '')}"
        f" ({section.last - section.first} lines)"
        for section in article.sections
    ]
    told = [f"# {article.title}", "", clipped(article.lead or "(no lead)", 2000), ""]
    told.append(f"Sections, to read with {section_tool_name}:")
    return "\n".join([*told, listed(contents, 60, "") or "(none)"])


def section_text(article: Article, anchor: str) -> str:
    """Return one section. Raises ToolFailed."""
    if anchor == "lead" and article.lead:
        return article.lead
    section = article.section(anchor)
    if section is None:
        known = ", ".join(slugify(s.title or "") for s in article.sections[:40]) or "none"
        raise ToolFailed(f"There is no section {anchor!r}. The sections are: {known}")
    return article.body_of(section).strip()
