"""`manage.py chats`."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from sessions.frames.values import TextPart
from sessions.models import ChatSession
from sessions.store.entries import new_entry
from sessions.store.messages import assistant_message, user_message
from sessions.store.search import SessionSearch
from sessions.store.store import SessionStore

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(tmp_path, settings):
    settings.SESSION_STORE = SessionStore(tmp_path / "sessions")
    settings.SESSION_SEARCH = SessionSearch(settings.SESSION_STORE)
    file = settings.SESSION_STORE.create(cwd="")
    asked = new_entry("message", None, message=user_message("Where is the needle?"))
    answer = assistant_message([TextPart(text="In the *hay*.")], stop_reason="stop")
    file.append([asked, new_entry("message", asked.id, message=answer)])
    return file


def run(*args):
    out = io.StringIO()
    call_command("chats", *args, stdout=out)
    return out.getvalue()


def test_chats_are_listed(session):
    assert f"2  {session.name}  Where is the needle?" in run()


def test_what_was_said_is_found(session):
    assert "user: Where is the needle?" in run("search", "NEEDLE")
    assert run("search", "nothing") == ""


def test_a_chat_is_printed_to_read_and_to_keep(session):
    assert run("export", session.name) == (
        "## You\n\nWhere is the needle?\n\n## Assistant\n\nIn the *hay*.\n"
    )
    entries = json.loads(run("export", session.name, "--json"))
    assert [entry["type"] for entry in entries] == ["session", "message", "message"]


def test_a_name_that_is_none_is_refused(session):
    with pytest.raises(CommandError, match="session not found"):
        run("export", "none.jsonl")


def test_the_index_is_made_anew(session):
    run()
    ChatSession.objects.update(title="wrong")

    assert run("index") == "1 chats are indexed.\n"
    assert ChatSession.objects.get().title == "Where is the needle?"
