"""What chat templates read: OpenAI's nesting, and text that is never null."""

from inference.messages import Message, Role, ToolCall
from inference.text.template_messages import template_messages, with_arguments_as_text

CALLING = Message(Role.ASSISTANT, "", tool_calls=(ToolCall("c1", "add", {"a": 2, "b": "é"}),))


def test_a_plain_message_has_a_role_and_text():
    assert template_messages([Message(Role.USER, "")]) == [{"role": "user", "content": ""}]


def test_calls_are_nested_and_their_arguments_a_mapping():
    function = {"name": "add", "arguments": {"a": 2, "b": "é"}}

    assert template_messages([CALLING]) == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
    ]


def test_reasoning_is_there_by_both_names_when_it_is_known_even_when_empty():
    thinking = [Message(Role.ASSISTANT, "x", reasoning=text) for text in ("hm", "", None)]

    for name in ("reasoning_content", "thinking"):
        found = [message.get(name) for message in template_messages(thinking)]
        assert found == ["hm", "", None]


def test_further_fields_pass_but_never_replace_role_and_content():
    message = Message(
        Role.TOOL, "5", extra={"name": "add", "tool_call_id": "c1", "role": "x", "content": "y"}
    )

    assert template_messages([message]) == [
        {"role": "tool", "content": "5", "name": "add", "tool_call_id": "c1"}
    ]


def test_arguments_can_be_json_text_instead():
    messages = template_messages([Message(Role.USER, "2+3?"), CALLING])

    question, calling = with_arguments_as_text(messages)

    assert question == {"role": "user", "content": "2+3?"}
    assert calling["tool_calls"][0]["function"] == {
        "name": "add",
        "arguments": '{"a": 2, "b": "é"}',
    }
    assert messages[1]["tool_calls"][0]["function"]["arguments"] == {"a": 2, "b": "é"}
