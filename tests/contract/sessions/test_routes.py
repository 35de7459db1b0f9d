"""`/api/sessions/*`: search and export, and what they refuse."""

import json

import pytest

from sessions.store.entries import new_entry
from sessions.store.messages import user_message
from sessions.store.search import SessionSearch
from sessions.store.store import SessionStore


@pytest.fixture
def store(tmp_path, settings):
    settings.SESSION_STORE = SessionStore(tmp_path / "sessions")
    settings.SESSION_SEARCH = SessionSearch(settings.SESSION_STORE)
    return settings.SESSION_STORE


@pytest.fixture
def session(store):
    file = store.create(cwd="/here")
    file.append([new_entry("message", None, message=user_message("Where is the needle?"))])
    return file


async def get(client, route, **query):
    response = await client.get(route, query)
    return response.status_code, response.json()


async def test_search_answers_with_snippets_and_ranges(async_client, session):
    status, body = await get(async_client, "/api/sessions/search", q="NEEDLE")

    assert status == 200
    assert body == {
        "ok": True,
        "results": [
            {
                "sessionPath": session.name,
                "sessionTitle": "Where is the needle?",
                "matches": [
                    {"snippet": "Where is the needle?", "ranges": [[13, 19]], "role": "user"}
                ],
            }
        ],
    }


async def test_search_needs_a_query_of_reasonable_length(async_client, store):
    assert await get(async_client, "/api/sessions/search") == (
        400,
        {"ok": False, "error": "q is required"},
    )
    status, body = await get(async_client, "/api/sessions/search", q="x" * 1001)
    assert (status, body["error"]) == (400, "q has 1,001 characters, and 1,000 are allowed")


async def test_export_equals_the_file(async_client, session):
    status, body = await get(async_client, "/api/sessions/export", path=session.name)

    lines = [json.loads(line) for line in session.path.read_text().splitlines()]
    assert (status, body) == (200, {"ok": True, "path": session.name, "entries": lines})


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("", 400, "path is required"),
        ("none.jsonl", 404, "session not found"),
        ("../outside.jsonl", 403, "path must be under the session directory"),
        ("..%2f..%2foutside", 403, "path must be under the session directory"),
        ("a\0.jsonl", 403, "path must be under the session directory"),
        ("link.jsonl", 403, "path must be under the session directory"),
    ],
)
async def test_export_refuses_what_is_not_a_session(async_client, session, path, status, error):
    """Public case se-04."""
    outside = session.path.parent.parent / "outside.jsonl"
    outside.write_text("{}")
    session.path.with_name("link.jsonl").symlink_to(outside)

    assert await get(async_client, "/api/sessions/export", path=path) == (
        status,
        {"ok": False, "error": error},
    )


async def test_a_plain_request_for_the_socket_is_told_to_upgrade(async_client):
    response = await async_client.get("/ws/chat")

    assert (response.status_code, response["Upgrade"]) == (426, "websocket")
