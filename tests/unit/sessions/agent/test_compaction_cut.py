"""What of a conversation the model still reads after a part of it was put in short."""

import pytest

from sessions.agent.compaction import _cut
from sessions.agent.prompt import conversation
from sessions.frames.values import TextPart, ToolPart
from sessions.store.entries import new_entry
from sessions.store.messages import assistant_message, tool_result, user_message
from sessions.store.tree import Tree


class Chat:
    """Entries, one after another."""

    def __init__(self):
        self.entries = []

    def add(self, kind, **data):
        leaf = self.entries[-1].id if self.entries else None
        self.entries.append(new_entry(kind, leaf, **data))
        return self.entries[-1]

    def ask(self, text):
        return self.add("message", message=user_message(text))

    def say(self, text):
        message = assistant_message([TextPart(text=text)], stop_reason="stop")
        return self.add("message", message=message)

    def call(self, number, result):
        part = ToolPart(call_id=f"c{number}", tool="look", args={"n": number})
        made = self.add("message", message=assistant_message([part], stop_reason="toolUse"))
        self.add("message", message=tool_result(part, result, ok=True))
        return made

    def read(self):
        """What the model is given, each message in a word."""
        said = conversation("SYSTEM", Tree(self.entries))
        return [message.text or f"call {message.tool_calls[0].id}" for message in said[1:]]


@pytest.fixture
def chat():
    return Chat()


def test_what_was_kept_stays_when_its_first_message_is_deleted(chat):
    chat.ask("one")
    chat.say("first")
    kept = chat.ask("two")
    chat.say("second")
    chat.add("compaction", summary="S", firstKeptEntryId=kept.id)
    chat.ask("three")
    chat.add("deletion", targetId=kept.id)

    assert chat.read() == ["second", "three"]


def test_of_an_answer_that_was_cut_the_question_is_read_too(chat):
    chat.ask("zero")
    chat.say("nothing")
    chat.ask("look at all of it")
    chat.call(1, "a")
    kept = chat.call(2, "b")
    chat.add("compaction", summary="S", firstKeptEntryId=kept.id)
    chat.call(3, "c")

    assert chat.read() == ["look at all of it", "call c2", "b", "call c3", "c"]


def test_the_newest_exchanges_that_fit_are_kept(chat):
    chat.ask("one")
    chat.say("x" * 1000)
    kept = chat.ask("two")
    chat.say("second")

    cut = _cut(chat.entries, 500)

    assert cut.kept[0] == kept
    assert list(cut.old) == chat.entries[:2]


def test_an_exchange_that_is_too_long_is_cut_before_a_turn_of_the_model(chat):
    chat.ask("before")
    chat.say("well")
    question = chat.ask("look")
    for number in range(4):
        chat.call(number, "x" * 300)

    cut = _cut(chat.entries, 1200)

    assert cut.kept[0].role == "assistant"
    assert list(cut.kept) == chat.entries[-4:]
    assert question not in cut.old
    assert list(cut.old) == [e for e in chat.entries[:-4] if e != question]


def test_a_single_turn_is_not_cut(chat):
    chat.ask("look")
    chat.call(1, "x" * 300)

    assert not _cut(chat.entries, 100).old
