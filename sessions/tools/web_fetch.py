"""`web_fetch`: the text of a page of the public web."""

from collections.abc import Mapping
from typing import Any

from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters, text_argument
from sessions.tools.fetching import Fetched, Fetcher
from sessions.tools.page_text import page_text

MOST_CHARACTERS = 12_000
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = ("text/", "application/json", "application/xml")


def web_fetch_tool(fetcher: Fetcher) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        text = _text(await fetcher.fetch(text_argument(args, "url")))
        more = "\n[cut]" if len(text) > MOST_CHARACTERS else ""
        return ToolResult((text[:MOST_CHARACTERS] + more) or "[the page has no text]")

    return Tool(
        "web_fetch",
        "Read a web page by its address.",
        parameters(("url",), url={"type": "string"}),
        run,
    )


def _text(page: Fetched) -> str:
    if not page.content_type.startswith(_TEXT) and page.content_type not in _HTML:
        raise ToolFailed(f"{page.url} is {page.content_type or 'of no known type'}, and no text")
    text = page.body.decode("utf-8", "replace")
    return page_text(text) if page.content_type in _HTML else text
