"""`web_search`: results of a search engine; by a key where the owner has one, else without."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import httpx2
from selectolax.lexbor import LexborHTMLParser

from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters, text_argument
from sessions.tools.fetching import Fetcher
from sessions.tools.page_text import node_text

RESULTS = 5
MOST_RESULTS = 10
SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Where to search; a key upgrades from the engine that needs none."""

    tavily_key: str = ""
    brave_key: str = ""
    keyless: str = "https://html.duckduckgo.com/html/?q="
    tavily: str = "https://api.tavily.com/search"
    brave: str = "https://api.search.brave.com/res/v1/web/search"


@dataclass(frozen=True, slots=True)
class Hit:
    title: str
    url: str
    text: str


def web_search_tool(config: SearchConfig, fetcher: Fetcher) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        query = text_argument(args, "query")
        count = args.get("count", RESULTS)
        most = min(count, MOST_RESULTS) if type(count) is int and count > 0 else RESULTS
        hits = (await _search(config, fetcher, query))[:most]
        if not hits:
            return ToolResult("Nothing was found.")
        lines = [f"{n}. {hit.title}\n{hit.url}\n{hit.text}" for n, hit in enumerate(hits, 1)]
        return ToolResult("\n\n".join(lines))

    return Tool(
        "web_search",
        "Search the web. Gives titles, addresses and a few lines of each result.",
        parameters(
            ("query",),
            query={"type": "string"},
            count={
                "type": "integer",
                "description": f"{RESULTS} unless said, {MOST_RESULTS} at most",
            },
        ),
        run,
    )


async def _search(config: SearchConfig, fetcher: Fetcher, query: str) -> list[Hit]:
    if config.tavily_key:
        headers = {"Authorization": f"Bearer {config.tavily_key}"}
        body = {"query": query, "max_results": MOST_RESULTS}
        found = await _ask("POST", config.tavily, headers=headers, json=body)
        return _hits(found.get("results"), "content")
    if config.brave_key:
        headers = {"X-Subscription-Token": config.brave_key}
        params = {"q": query, "count": str(MOST_RESULTS)}
        found = await _ask("GET", config.brave, headers=headers, params=params)
        web = found.get("web")
        return _hits(web.get("results") if isinstance(web, dict) else None, "description")
    page = await fetcher.fetch(config.keyless + quote_plus(query), seconds=SECONDS)
    return _read_page(page.body.decode("utf-8", "replace"))


async def _ask(method: str, url: str, **options: Any) -> dict[str, Any]:
    try:
        async with httpx2.AsyncClient(timeout=SECONDS) as client:
            response = await client.request(method, url, **options)
            response.raise_for_status()
            value = json.loads(response.content)
    except (httpx2.HTTPError, ValueError) as error:
        raise ToolFailed(f"the search failed ({type(error).__name__})") from error
    return value if isinstance(value, dict) else {}


def _hits(results: object, text: str) -> list[Hit]:
    rows = [row for row in results if isinstance(row, dict)] if isinstance(results, list) else []
    return [Hit(str(r.get("title", "")), str(r.get("url", "")), str(r.get(text, ""))) for r in rows]


def _read_page(html: str) -> list[Hit]:
    hits = []
    for result in LexborHTMLParser(html).css(".result"):
        link = result.css_first("a.result__a")
        if link is None:
            continue
        snippet = result.css_first(".result__snippet")
        text = node_text(snippet) if snippet is not None else ""
        hits.append(Hit(node_text(link), _target(link.attributes.get("href") or ""), text))
    return hits


def _target(href: str) -> str:
    """Results lead through an address of the engine's own, which names the real one."""
    wrapped = parse_qs(urlsplit(href).query).get("uddg")
    return wrapped[0] if wrapped else href
