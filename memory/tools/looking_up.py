"""Tools that find articles: by name, by group, by words."""

from collections.abc import Mapping
from typing import Any

from memory.article.wikilinks import title_of
from memory.catalog import Catalog, Snapshot
from memory.folding import fold, fold_name
from memory.search import Found, pages_in, search
from memory.tools.base import (
    Tool,
    ToolFailed,
    arguments,
    listed,
    optional_text,
    required_text,
    text,
)

MOST_NAMES = 60
MOST_CANDIDATES = 8
DEFAULT_HITS, MOST_HITS = 5, 20
LONGEST_LEAD = 240  # characters

_GROUPS = ("category", "type", "series")


def resolve_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        surface = required_text(args, "surface")
        snapshot = catalog.snapshot()
        exact = snapshot.surfaces.get(fold_name(surface), [])
        found = exact or _similar(snapshot, surface)
        if not found:
            return f"No article is named {surface!r}. Try memory_search with other words."
        head = "" if exact else f"No article is named {surface!r}. Similar names:\n"
        return head + listed(
            [_line(snapshot, stem) for stem in found], MOST_CANDIDATES, "Say the name more exactly."
        )

    return Tool(
        "memory_resolve",
        "Find the article about a person, project, thing or subject by any of its names. "
        "Begin with this.",
        arguments(("surface",), surface=text("A name, as the user says it")),
        run,
    )


def category_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        snapshot = catalog.snapshot()
        groups = {
            "category": snapshot.categories,
            "type": snapshot.types,
            "series": snapshot.series,
        }
        asked = {name: value for name in _GROUPS if (value := optional_text(args, name))}
        if not asked:
            return _overview(groups)
        members = [_members(groups[name], value) for name, value in asked.items()]
        found = [stem for stem in members[0] if all(stem in other for other in members[1:])]
        if not found:
            wanted = ", ".join(f"{name} {value!r}" for name, value in asked.items())
            raise ToolFailed(f"No article has {wanted}. Without arguments you see what there is.")
        lines = [_line(snapshot, stem) for stem in found]
        return listed(lines, MOST_NAMES // 3, "Ask for two groups at once to narrow it down.")

    return Tool(
        "memory_category",
        "List the articles of a category, a type or a series; without arguments, which there are.",
        arguments(
            (),
            category=text("Such as Projects"),
            type=text("Of the infobox, such as Tool"),
            series=text("The article that the series is on"),
        ),
        run,
    )


def list_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        names = list(catalog.snapshot().articles)
        if not names:
            return "The memory has no articles yet."
        return listed(names, MOST_NAMES, "Find them with memory_category or memory_search.")

    return Tool("memory_list", "List the names of the articles.", arguments(), run)


def search_tool(catalog: Catalog) -> Tool:
    def run(args: Mapping[str, Any]) -> str:
        query = required_text(args, "query")
        found = search(pages_in(catalog.snapshot(), "articles"), query, _limit(args))
        return found_text(found, query)

    return Tool(
        "memory_search",
        "Search the text of all articles for words. A last resort: memory_resolve is better "
        "for names.",
        arguments(
            ("query",),
            query=text("A few words that the article would hold"),
            limit={"type": "integer", "description": f"How many, {DEFAULT_HITS} by default"},
        ),
        run,
    )


def found_text(found: Found, query: str) -> str:
    """Return what a search found as lines: pages, then places in them."""
    if not found.summaries:
        return f"Nothing holds {query!r}. Try fewer or other words."
    pages = [
        f"{summary.name} ({', '.join(summary.matched_terms)}; {summary.occurrences} in all)"
        for summary in found.summaries
    ]
    places = [
        f"{hit.name}{f'#{hit.anchor}' if hit.anchor else ''}: {hit.excerpt}" for hit in found.hits
    ]
    return "\n".join([*pages, "", *places])


def _limit(args: Mapping[str, Any]) -> int:
    value = args.get("limit")
    if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 1:
        return DEFAULT_HITS
    return int(min(value, MOST_HITS))


def _line(snapshot: Snapshot, stem: str) -> str:
    """One article in a line: its name, its type, and how its lead begins."""
    entry = snapshot.articles.get(stem)
    if entry is None:
        return f"{stem} (not written yet)"
    infobox = entry.article.infobox
    kind = f" ({infobox.type})" if infobox and infobox.type else ""
    lead = " ".join((entry.article.lead or "").split())
    return f"{stem}{kind}: {lead[:LONGEST_LEAD]}{'…' if len(lead) > LONGEST_LEAD else ''}"


def _similar(snapshot: Snapshot, surface: str) -> list[str]:
    """Articles with a name that holds every word of `surface`, the shortest name first."""
    words = fold_name(surface).split()
    names = [
        (len(name), stem)
        for name, stems in snapshot.surfaces.items()
        if all(word in name for word in words)
        for stem in stems
    ]
    return list(dict.fromkeys(stem for _, stem in sorted(names)))


def _members(groups: Mapping[str, list[str]], wanted: str) -> list[str]:
    folded = fold_name(wanted)
    return [stem for label, stems in groups.items() if fold_name(label) == folded for stem in stems]


def _overview(groups: Mapping[str, Mapping[str, list[str]]]) -> str:
    parts: list[str] = []
    for name, members in groups.items():
        by_size = sorted(members.items(), key=lambda item: (-len(item[1]), fold(item[0])))
        if by_size:
            counts = [f"{title_of(label)} ({len(stems)})" for label, stems in by_size]
            parts.append(f"{name}: " + ", ".join(counts[: MOST_NAMES // 2]))
    return "\n".join(parts) or "No article has a category, a type or a series yet."
