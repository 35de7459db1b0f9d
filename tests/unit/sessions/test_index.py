"""The rows of the list of chats follow the files, and can be dropped."""

import os

import pytest

from sessions.index import refresh, session_items
from sessions.models import ChatSession
from sessions.store.entries import new_entry
from sessions.store.messages import user_message
from sessions.store.store import SessionStore

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(tmp_path, settings):
    settings.SESSION_STORE = SessionStore(tmp_path / "sessions")
    return settings.SESSION_STORE


def add(store, text):
    file = store.create(cwd="")
    file.append([new_entry("message", None, message=user_message(text))])
    return file


def test_the_list_shows_each_session_newest_first(store):
    one, other = add(store, "one"), add(store, "other")

    # Clocks of file systems tick in milliseconds: two writes can have one time.
    os.utime(one.path, ns=(0, other.path.stat().st_mtime_ns - 10**9))

    items = session_items()

    assert [item.path for item in items] == [other.name, one.name]
    assert [(item.title, item.message_count) for item in items] == [("other", 1), ("one", 1)]


def test_a_change_of_a_file_reaches_its_row_and_no_other_file_is_read(store, monkeypatch):
    one, other = add(store, "one"), add(store, "other")
    refresh()
    store.describe(one.name, name="renamed")
    monkeypatch.setattr(type(other), "read", watch(type(other).read, read := []))

    titles = {item.path: item.title for item in session_items()}

    assert titles == {one.name: "renamed", other.name: "other"}
    assert read == [one.name]


def watch(method, names):
    def wrapped(file):
        names.append(file.name)
        return method(file)

    return wrapped


def test_a_deleted_session_leaves_the_list(store):
    file = add(store, "one")
    refresh()

    store.delete(file.name)

    assert session_items() == []


def test_rows_that_were_dropped_come_back_from_the_files(store):
    add(store, "one")
    store.describe(add(store, "two").name, pinned=True)
    before = session_items()

    ChatSession.objects.all().delete()

    assert session_items() == before
    assert {item.title: item.pinned for item in before} == {"one": False, "two": True}
