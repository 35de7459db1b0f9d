"""The shape of a conversation, and the words by which a loss is found out."""

from inference.messages import Message, Role, ToolCall
from inference.text.outline import outline_of

SAID = (
    Message(Role.SYSTEM, "A"),
    Message(Role.USER, "2+3?", extra={"name": "ann"}),
    Message(Role.SYSTEM, "B"),
    Message(Role.ASSISTANT, "", tool_calls=(ToolCall("c1", "add", {"a": 2}),)),
    Message(Role.TOOL, "5", extra={"tool_call_id": "c1"}),
    Message(Role.SYSTEM, "C"),
)


def test_roles_ids_and_empty_texts_stay_and_words_go():
    shape = outline_of(SAID).messages

    assert [message.role for message in shape] == [message.role for message in SAID]
    assert [message.extra for message in shape] == [message.extra for message in SAID]
    assert [bool(message.text) for message in shape] == [bool(message.text) for message in SAID]
    assert shape[3].tool_calls == (ToolCall("c1", "call3x0x", {}),)
    assert len({message.text for message in shape}) == len(SAID)


def test_the_outer_systems_the_last_call_and_the_last_result_must_be_shown():
    outline = outline_of(SAID)
    seen = "said0x said5x said4x call3x0x"

    assert outline.is_shown_in(seen)
    assert not any(outline.is_shown_in(seen.replace(word, "")) for word in seen.split())


def test_questions_and_answers_need_no_proof():
    assert outline_of((Message(Role.USER, "x"), Message(Role.ASSISTANT, "y"))).words == ()
    assert outline_of((Message(Role.SYSTEM, ""), Message(Role.TOOL, ""))).words == ()


def test_what_a_longer_conversation_begins_with_has_the_same_outline():
    shorter, longer = outline_of(SAID), outline_of((*SAID, Message(Role.USER, "go on")))

    assert longer.messages[: len(SAID)] == shorter.messages
