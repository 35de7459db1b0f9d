"""Tools that see and point at the app the user is in. They change nothing but what is shown."""

from collections.abc import Callable, Mapping
from typing import Any

from sessions.conversation import Send
from sessions.frames.server import UiNavigate, UiSpotlight
from sessions.frames.values import AppContext
from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters

_TARGETS = ("ref", "label", "selector", "target")
_TEXT = {"type": "string"}


def app_tools(
    send: Send, context: Callable[[], AppContext | None], routes: Mapping[str, str]
) -> list[Tool]:
    """Make the three tools of a connection.

    context: what the page last told. routes: the pages there are, by id.
    """

    async def look(args: Mapping[str, Any], update: Update) -> ToolResult:
        seen = context()
        if seen is None:
            raise ToolFailed("The page has not told where the user is.")
        # The kind of an element, its role and its label say what its tag would.
        hidden = {"snapshot": {"elements": {"__all__": {"tag"}}}}
        told = seen.model_dump_json(by_alias=True, exclude_none=True, exclude=hidden)
        return ToolResult(told)

    async def navigate(args: Mapping[str, Any], update: Update) -> ToolResult:
        route = args.get("route") or args.get("page")
        if route not in routes:
            raise ToolFailed(f"There is no page {route!r}. There are: {', '.join(routes)}")
        await send(UiNavigate(route=str(route)))
        return ToolResult(f"The user now sees the page {routes[str(route)]}.")

    async def spotlight(args: Mapping[str, Any], update: Update) -> ToolResult:
        given = {name: args[name] for name in _TARGETS if isinstance(args.get(name), str)}
        if not given:
            raise ToolFailed(f"One of {', '.join(_TARGETS)} is required, to say what to point at.")
        route, message = args.get("route"), args.get("message")
        if route is not None and route not in routes:
            raise ToolFailed(f"There is no page {route!r}. There are: {', '.join(routes)}")
        if isinstance(message, str):
            given["message"] = message
        await send(UiSpotlight(**given, route=route))
        return ToolResult("It is highlighted for the user for about three seconds.")

    page = {"type": "string", "enum": list(routes)}
    return [
        Tool(
            "get_current_app_context",
            "See which page of this app the user has open, and what can be clicked on it.",
            parameters(),
            look,
        ),
        Tool(
            "navigate_app",
            "Open another page of this app for the user.",
            parameters(("route",), route=page),
            navigate,
        ),
        Tool(
            "spotlight_ui",
            "Highlight something of this app for the user. Take its ref from the app context.",
            parameters(
                (),
                ref=_TEXT,
                label=_TEXT,
                selector=_TEXT,
                target={**_TEXT, "description": "An id of the catalogue, such as composer"},
                route=page,
                message={**_TEXT, "description": "A short hint beside it"},
            ),
            spotlight,
        ),
    ]
