"""Chats as the memory reads them."""

from datetime import UTC, datetime

import pytest

from mlxsite.chat_conversations import ChatConversations
from sessions.store.entries import Entry, new_entry
from sessions.store.store import SessionStore


@pytest.fixture
def store(tmp_path):
    return SessionStore(tmp_path / "sessions")


def say(file, parent, role, content, **data):
    entry = new_entry("message", parent, message={"role": role, "content": content}, **data)
    file.append([entry])
    return entry.id


def test_what_user_and_assistant_said_is_read_without_thoughts_calls_and_results(store):
    file = store.create(cwd="/")
    first = say(file, None, "user", "Where is Atlas?")
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I look."},
        {"type": "toolCall", "id": "1", "name": "grep", "arguments": {}},
    ]
    second = say(file, first, "assistant", parts)
    say(file, second, "toolResult", [{"type": "text", "text": "found"}])

    said = ChatConversations(store).read(file.name)

    assert [(each.role, each.text) for each in said] == [
        ("user", "Where is Atlas?"),
        ("assistant", "I look."),
    ]
    assert [each.key for each in said] == [first, second]
    assert all(each.at.tzinfo is UTC for each in said)


def test_only_the_branch_that_the_user_is_on_is_read(store):
    file = store.create(cwd="/")
    say(file, None, "user", "the first attempt")
    say(file, None, "user", "the second attempt")

    assert [each.text for each in ChatConversations(store).read(file.name)] == [
        "the second attempt"
    ]


def test_a_watermark_changes_with_every_message_and_goes_with_the_file(store):
    file = store.create(cwd="/")
    chats = ChatConversations(store)
    before = chats.watermarks()[file.name]
    say(file, None, "user", "Hello")

    assert chats.watermarks()[file.name] != before
    store.delete(file.name)
    assert chats.watermarks() == {}
    assert chats.read(file.name) == []


def test_what_databases_do_not_take_is_taken_out(store):
    file = store.create(cwd="/")
    file.path.write_text(
        file.path.read_text()
        + '{"type":"message","id":"a","parentId":null,"timestamp":"never",'
        + '"message":{"role":"user","content":"a\\u0000b\\ud800c"}}\n'
    )

    [said] = ChatConversations(store).read(file.name)

    assert said.text == "ab\ufffdc"
    assert said.at.date() == datetime.now(UTC).date()


def test_a_file_without_a_first_line_is_read_all_the_same(store):
    store.root.mkdir()
    (store.root / "old.jsonl").write_text(
        '{"type":"message","message":{"role":"user","content":"Hello"}}\nnot JSON\n'
    )

    [said] = ChatConversations(store).read("old.jsonl")

    assert said.text == "Hello"


def test_entries_of_no_message_say_nothing(store):
    file = store.create(cwd="/")
    file.append([new_entry("session_info", None, name="Plans"), Entry("message", "x", None, {})])

    assert ChatConversations(store).read(file.name) == []
