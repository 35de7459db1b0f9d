"""The rows of the list of chats follow the files, and can be dropped."""

import os
from dataclasses import replace

import pytest

from sessions import index
from sessions.errors import NotRead
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


def test_titles_hold_nothing_that_a_database_refuses(store):
    file = add(store, "hi \ud83d")
    path = file.path
    path.write_bytes(path.read_bytes().replace(b"hi ?", rb"a \u0000 \ud83d b"))

    assert [item.title for item in session_items()] == ["a \ufffd b"]


def test_a_file_that_cannot_be_listed_hides_no_other(store, monkeypatch, caplog):
    add(store, "one")
    bad = add(store, "two")
    worse = add(store, "three")
    monkeypatch.setattr(index, "summarize", trip(index.summarize))
    os.utime(worse.path, ns=(0, 2**63 - 1))
    store.describe(bad.name, name="trip")

    assert [item.title for item in session_items()][-1] == "one"
    assert "cannot be read" in caplog.text


def test_a_file_that_cannot_be_read_now_keeps_its_row(store, monkeypatch, caplog):
    one = add(store, "one")
    refresh()
    one.append([new_entry("message", None, message=user_message("two"))])

    def fail(self):
        raise NotRead("too many open files")

    monkeypatch.setattr(type(one), "read", fail)

    assert [item.title for item in session_items()] == ["one"]
    assert "too many open files" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_row_that_the_database_refuses_hides_no_other(store, monkeypatch, caplog):
    add(store, "one")
    monkeypatch.setattr(index, "summarize", half(index.summarize))
    add(store, "two")

    assert [item.title for item in session_items()] == ["one"]
    assert "cannot be listed" in caplog.text


def trip(summarize):
    def wrapped(entries):
        summary = summarize(entries)
        if summary.title == "trip":
            raise RecursionError
        return summary

    return wrapped


def half(summarize):
    def wrapped(entries):
        summary = summarize(entries)
        return replace(summary, title="\ud83d") if summary.title == "two" else summary

    return wrapped


def test_a_file_whose_name_has_no_utf_8_is_none_of_ours(store):
    add(store, "one")
    (store.root / os.fsdecode(b"\xff.jsonl")).write_text("{}")

    assert [item.title for item in session_items()] == ["one"]


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
