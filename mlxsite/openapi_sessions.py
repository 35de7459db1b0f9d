"""What the routes of chats tell of themselves in the OpenAPI document."""

from typing import Any

from inference.api.openapi.operation import answer, operation, query
from inference.api.openapi.refusals import ERROR, REFUSED_READS
from inference.api.openapi.schema import (
    Component,
    array,
    boolean,
    either,
    integer,
    record,
    text,
    word,
)
from mlxsite.openapi_hub import FAILURE

_MATCH = record(
    members={
        "snippet": text("What was found, and up to 60 characters on each side of it"),
        "ranges": array(
            array(integer("Start and end, in UTF-16 units")), "Where it stands in the snippet"
        ),
        "role": word("user", "assistant"),
    }
)
_FOUND = Component(
    "SessionMatches",
    record(
        members={
            "sessionPath": text("To open the session with"),
            "sessionTitle": text(),
            "matches": array(_MATCH, "Ten at most"),
        }
    ),
)
_SEARCH = operation(
    "searchSessions",
    "Search in what was said",
    parameters=[query("q", text(), "What to look for; letter case does not matter")],
    answers={
        200: answer(
            "Sessions that hold it, newest first; fifty matches in all at most",
            record(members={"ok": boolean(const=True), "results": array(_FOUND)}),
        ),
        400: answer("No query, or one that is too long", FAILURE),
        **REFUSED_READS,
    },
)
_EXPORT = operation(
    "exportSession",
    "A session as it stands in its file",
    parameters=[query("path", text(), "As in the list of chats")],
    answers={
        200: answer(
            "Its lines, in order",
            record(
                members={
                    "ok": boolean(const=True),
                    "path": text(),
                    "entries": array({"type": "object"}),
                }
            ),
        ),
        400: answer("No path", FAILURE),
        **REFUSED_READS,
        403: answer(
            "A path out of the folder of sessions, or a foreign host",
            either(FAILURE, ERROR),
        ),
        404: answer("No such session", FAILURE),
    },
)
_FRAMES = {
    name: {"$ref": f"#/components/schemas/Chat{name.capitalize()}Frame"}
    for name in ("client", "server")
}
_CHAT = operation(
    "openChat",
    "The chat's WebSocket; its frames are ChatClientFrame and ChatServerFrame",
    answers={426: answer("Connect with an Upgrade header", FAILURE), **REFUSED_READS},
)
_SERVER = Component(
    "McpServer",
    record(
        members={
            "name": text(),
            "state": word("stopped", "starting", "running", "failed"),
            "problem": text("Why it failed; empty otherwise"),
            "tools": array(text(), "What it offers while it runs"),
        }
    ),
)
_MCP = operation(
    "listMcpServers",
    "The MCP servers that the user has listed",
    answers={
        200: answer(
            "Each as it does now; those that stood still are started",
            record(
                members={
                    "ok": boolean(const=True),
                    "path": text("The file in the state folder that lists them"),
                    "servers": array(_SERVER),
                }
            ),
        ),
        **REFUSED_READS,
    },
)

PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/sessions/search": {"get": _SEARCH},
    "/api/sessions/export": {"get": _EXPORT},
    "/ws/chat": {"get": {**_CHAT, "x-frames": _FRAMES}},
    "/api/settings/mcp": {"get": _MCP},
}
