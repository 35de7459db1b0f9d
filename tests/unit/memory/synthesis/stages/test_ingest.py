"""What the ledger knows of conversations that change."""

import pytest

from memory.synthesis.models import Chunk, Conversation, Message
from memory.synthesis.stages.ingest import ingest
from memory.synthesis.stages.segment import segment


@pytest.fixture
def read(memory, make_run):
    """Call to ingest what the chats say, and to cut it into chunks of a message each."""

    def answer(prompt):
        numbers = [line[1] for line in prompt.splitlines() if line[:1] == "[" and line[2:3] == "]"]
        return "\n".join(f"{n}-{n}: this is message number {n}" for n in numbers)

    def run():
        made = make_run(memory, answer)
        ingest(made, [memory.chats])
        segment(made)

    return run


def texts():
    return list(Message.objects.values_list("text", flat=True))


def chunks():
    return [(chunk.start, chunk.end) for chunk in Chunk.objects.all()]


def test_messages_that_follow_are_added(memory, read):
    memory.chats.tell("a", "one", "two")
    read()
    first = set(Chunk.objects.values_list("id", flat=True))

    memory.chats.tell("a", "one", "two", "three", "four")
    read()

    assert texts() == ["one", "two", "three", "four"]
    assert first < set(Chunk.objects.values_list("id", flat=True))
    assert chunks() == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_another_branch_takes_the_place_of_the_one_that_was_left(memory, read):
    memory.chats.tell("a", "one", "two", "three")
    read()

    memory.chats.tell("a", "one", "otherwise")
    read()

    assert texts() == ["one", "otherwise"]
    assert chunks() == [(0, 0), (1, 1)]


def test_what_a_fork_repeats_is_read_once(memory, read):
    memory.chats.tell("a", "one", "two", day=1)
    memory.chats.tell("fork", "one", "two", "three", day=1, keys="a")
    read()

    told = [chunk for chunk in Chunk.objects.all() if chunk.conversation.name == "fork"]
    assert [(chunk.start, chunk.end) for chunk in told] == [(2, 2)]


def test_a_conversation_that_is_gone_is_forgotten_with_its_texts(memory, read):
    memory.chats.tell("a", "one", "two")
    memory.chats.tell("b", "three")
    read()

    del memory.chats.told["a"]
    read()

    assert texts() == ["three"]
    assert Conversation.objects.count() == 1
    assert chunks() == [(0, 0)]


def test_what_has_not_changed_is_not_read_again(memory, read, monkeypatch):
    memory.chats.tell("a", "one", "two")
    read()

    monkeypatch.setattr(memory.chats, "read", lambda name: pytest.fail("it was read again"))
    read()
