"""Anthropic's messages to ours."""

import pytest

from inference.api.anthropic.messages import to_messages
from inference.errors import InvalidRequest
from inference.messages import MediaKind, Message, Role, ToolCall

BILLING = "x-anthropic-billing-header: cc_version=2.1.0; cc_entrypoint=cli; cch=aaaaa;"
USE = {"type": "tool_use", "id": "toolu_1", "name": "w", "input": {"city": "Oslo"}}
CALL = ToolCall("toolu_1", "w", {"city": "Oslo"})
PICTURE = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}


def text(words, **more):
    return {"type": "text", "text": words, **more}


def result(content="5", **more):
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, **more}


def user(content):
    return {"role": "user", "content": content}


def assistant(content):
    return {"role": "assistant", "content": content}


def translate(*messages, system=None):
    return to_messages(system, messages)


def tool(words, **fields):
    return Message(Role.TOOL, words, **fields)


def refusal(*messages, system=None):
    with pytest.raises(InvalidRequest) as raised:
        translate(*messages, system=system)
    return raised.value.message


def test_a_conversation_keeps_its_order():
    assert translate(user("a"), assistant("b"), user([text("c")])) == (
        Message(Role.USER, "a"),
        Message(Role.ASSISTANT, "b"),
        Message(Role.USER, "c"),
    )


@pytest.mark.parametrize("system", ["Be kind.", [text("Be "), text("kind.", cache_control={})]])
def test_the_system_text_comes_first(system):
    assert translate(user("a"), system=system)[0] == Message(Role.SYSTEM, "Be kind.")


@pytest.mark.parametrize("system", [None, "", [], [text("")], [text(BILLING)]])
def test_a_system_text_that_says_nothing_is_no_message(system):
    assert translate(user("a"), system=system) == (Message(Role.USER, "a"),)


@pytest.mark.parametrize(
    "system",
    [
        [text(BILLING), text("Stable.", cache_control={"type": "ephemeral"})],
        [text(BILLING + "\n"), text("Stable.")],
        f"{BILLING}\nStable.",
        [text(f"{BILLING}\nStable.")],
    ],
)
def test_the_billing_line_is_dropped(system):
    """Public case an-04."""
    [first, _user] = translate(user("a"), system=system)

    assert first == Message(Role.SYSTEM, "Stable.")


def test_what_only_mentions_the_billing_line_stays():
    system = f"Never print\n{BILLING}"

    assert translate(user("a"), system=system)[0].text == system


def test_system_messages_stay_where_they_are():
    """Public case pr-06, on the way in."""
    reminder = {"role": "system", "content": "REMINDER"}
    again = {"role": "system", "content": [text("AGAIN")]}

    roles = [message.role for message in translate(user("a"), reminder, assistant("b"), again)]

    assert roles == [Role.USER, Role.SYSTEM, Role.ASSISTANT, Role.SYSTEM]


def test_a_call_and_its_result():
    """Public case an-08, on the way in."""
    assert translate(user("x"), assistant([USE]), user([result()])) == (
        Message(Role.USER, "x"),
        Message(Role.ASSISTANT, "", tool_calls=(CALL,)),
        tool("5", extra={"tool_call_id": "toolu_1", "name": "w"}),
    )


def test_results_come_before_what_is_said_beside_them():
    content = [result("1"), text("go "), result("2", tool_use_id="toolu_2"), text("on")]

    assert translate(user(content)) == (
        tool("1", extra={"tool_call_id": "toolu_1"}),
        tool("2", extra={"tool_call_id": "toolu_2"}),
        Message(Role.USER, "go on"),
    )


@pytest.mark.parametrize("content", [None, "", []])
def test_a_result_can_be_empty(content):
    assert translate(user([result(content)]))[0].text == ""


def test_a_result_in_blocks_can_hold_an_image():
    [message] = translate(user([result([text("al"), PICTURE, text("pha")])]))

    assert (message.text, message.media) == ("alpha", (MediaKind.IMAGE,))


@pytest.mark.parametrize(
    ("is_error", "expected"), [(True, "Error: no"), (False, "no"), (None, "no")]
)
def test_a_failed_call_says_so(is_error, expected):
    assert translate(user([result("no", is_error=is_error)]))[0].text == expected


def test_thoughts_of_earlier_turns_are_dropped():
    """Public case an-09, on the way in."""
    content = [
        {"type": "thinking", "thinking": "SECRET-THOUGHT", "signature": "EqQBCgIYAhIM"},
        {"type": "redacted_thinking", "data": "AAAA"},
        {"type": "thinking", "thinking": "", "signature": ""},
        text("hello"),
    ]

    assert translate(assistant(content)) == (Message(Role.ASSISTANT, "hello"),)


def test_an_image_of_the_user_is_a_medium():
    assert translate(user([text("What is this?"), PICTURE])) == (
        Message(Role.USER, "What is this?", media=(MediaKind.IMAGE,)),
    )


@pytest.mark.parametrize("content", ["", [], None])
def test_a_message_can_be_empty(content):
    assert translate(user(content)) == (Message(Role.USER, ""),)
    assert translate(assistant(content)) == (Message(Role.ASSISTANT, ""),)


def test_a_call_without_input_has_no_arguments():
    [message] = translate(assistant([{**USE, "input": None}]))

    assert message.tool_calls[0].arguments == {}


def test_input_that_nobody_could_read_is_what_the_model_wrote():
    unread = {"__unparsedToolInput": {"raw": '{"city": "Os', "len": 12}}

    [message] = translate(assistant([{**USE, "input": unread}]))

    assert message.tool_calls[0].arguments == {"input": '{"city": "Os'}


def test_marks_for_a_cache_change_nothing():
    mark = {"cache_control": {"type": "ephemeral"}}
    plain = translate(user([text("a"), result()]), system=[text("s")])

    assert translate(user([text("a", **mark), result(**mark)]), system=[text("s", **mark)]) == plain


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (
            {"role": "tool", "content": "a"},
            "messages[0].role is 'tool', expected one of 'user', 'assistant', 'system'",
        ),
        ({}, "messages[0].role is None, expected one of 'user', 'assistant', 'system'"),
        (
            assistant([result()]),
            "messages[0].content[0].type is 'tool_result', expected one of "
            "'text', 'tool_use', 'thinking', 'redacted_thinking'",
        ),
        (
            user([USE]),
            "messages[0].content[0].type is 'tool_use', expected one of "
            "'text', 'image', 'tool_result'",
        ),
        (
            user([result([{"type": "document"}])]),
            "messages[0].content[0].content[0].type is 'document', expected one of 'text', 'image'",
        ),
        (
            user([result(tool_use_id=None)]),
            "messages[0].content[0].tool_use_id must be a string",
        ),
        (user([result(is_error="yes")]), "is_error must be of type bool"),
        (assistant([{**USE, "id": 7}]), "messages[0].content[0].id must be a string"),
        (assistant([{**USE, "name": ""}]), "messages[0].content[0].name must not be empty"),
        (assistant([{**USE, "name": None}]), "messages[0].content[0].name must be a string"),
        (assistant([{**USE, "input": "{}"}]), "messages[0].content[0].input must be an object"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(message, error):
    assert refusal(message) == error


def test_a_system_text_is_text():
    assert (
        refusal(user("a"), system=[PICTURE]) == "system[0].type is 'image', expected one of 'text'"
    )
