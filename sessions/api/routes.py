"""Search in what was said, and a session as it stands in its file."""

import asyncio

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from hub.api.answers import BadRequest, success
from sessions.store.search import SessionMatches, SessionSearch
from sessions.store.store import SessionStore

router = Router(tags=["Chats"])

READ = ["GET", "HEAD"]
LONGEST_QUERY = 1000  # characters


@router.api_operation(READ, "/api/sessions/search")
async def search(request: HttpRequest) -> JsonResponse:
    query = request.GET.get("q", "").strip()
    if not query:
        raise BadRequest("q is required")
    if len(query) > LONGEST_QUERY:
        raise BadRequest(f"q has {len(query):,} characters, and {LONGEST_QUERY:,} are allowed")
    sessions: SessionSearch = settings.SESSION_SEARCH
    return success(results=[_row(found) for found in await asyncio.to_thread(sessions.find, query)])


@router.api_operation(READ, "/api/sessions/export")
async def export(request: HttpRequest) -> JsonResponse:
    path = request.GET.get("path", "")
    if not path:
        raise BadRequest("path is required")
    store: SessionStore = settings.SESSION_STORE
    entries = await asyncio.to_thread(lambda: store.open(path).read())
    return success(path=path, entries=[entry.data for entry in entries])


@router.api_operation(READ, "/ws/chat")
async def chat(request: HttpRequest) -> HttpResponse:
    """What a plain request for the WebSocket gets."""
    response = JsonResponse(
        {"ok": False, "error": "this is a WebSocket: connect with an Upgrade header"}, status=426
    )
    response["Upgrade"] = "websocket"
    return response


def _row(found: SessionMatches) -> dict[str, object]:
    return {
        "sessionPath": found.name,
        "sessionTitle": found.title,
        "matches": [
            {"snippet": m.snippet, "ranges": [[m.start, m.end]], "role": m.role}
            for m in found.matches
        ],
    }
