"""Items to messages."""

import pytest

from inference.api.responses.messages import to_messages
from inference.api.responses.tools import ToolBox
from inference.errors import InvalidRequest
from inference.messages import MediaKind, Message, Role, ToolCall

USER = Message(Role.USER, "hi")


def said(role, content):
    return {"role": role, "content": content}


def call(call_id="call_1", name="shell", arguments='{"cmd": "ls"}', **more):
    fields = {"call_id": call_id, "name": name, "arguments": arguments, **more}
    return {"type": "function_call", "id": "fc_1", "status": "completed", **fields}


def output(call_id="call_1", value="ok", kind="function_call_output"):
    return {"type": kind, "call_id": call_id, "output": value}


def thoughts(text, **more):
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}], **more}


def translated(*items, instructions=None, tools=()):
    placed = [(f"input[{index}]", item) for index, item in enumerate(items)]
    return to_messages(instructions, placed, ToolBox(tools))


SHELL = ToolCall("call_1", "shell", {"cmd": "ls"})


def test_messages_keep_their_order_and_roles():
    assert translated(
        said("user", "hi"), {"type": "message", **said("assistant", "yes?")}, said("user", "bye")
    ) == (USER, Message(Role.ASSISTANT, "yes?"), Message(Role.USER, "bye"))


def test_instructions_lead():
    assert translated(said("user", "hi"), instructions="be kind") == (
        Message(Role.SYSTEM, "be kind"),
        USER,
    )


def test_instructions_and_leading_system_messages_are_one():
    """Public case re-05."""
    assert translated(
        said("developer", "BETA"),
        said("system", [{"type": "input_text", "text": "GAMMA"}]),
        said("user", "hi"),
        instructions="ALPHA",
    ) == (Message(Role.SYSTEM, "ALPHA\n\nBETA\n\nGAMMA"), USER)


def test_a_later_system_message_stays_where_it_is():
    assert translated(
        said("developer", "first"), said("user", "hi"), said("developer", "later")
    ) == (Message(Role.SYSTEM, "first"), USER, Message(Role.SYSTEM, "later"))


def test_media_of_leading_system_messages_are_not_lost():
    [system] = translated(said("system", [{"type": "input_image", "image_url": "data:"}]))

    assert system.media == (MediaKind.IMAGE,)


def test_empty_system_messages_are_none():
    assert translated(said("system", ""), said("user", "hi")) == (USER,)


def test_what_an_answer_says_and_calls_is_one_message():
    assert translated(
        said("assistant", "I look."), call(), call("call_2", "shell", '{"cmd": "pwd"}')
    ) == (
        Message(
            Role.ASSISTANT,
            "I look.",
            tool_calls=(SHELL, ToolCall("call_2", "shell", {"cmd": "pwd"})),
        ),
    )


def test_an_output_is_a_message_that_names_its_call():
    assert translated(call(), output()) == (
        Message(Role.ASSISTANT, "", tool_calls=(SHELL,)),
        Message(Role.TOOL, "ok", extra={"tool_call_id": "call_1", "name": "shell"}),
    )


def test_an_output_of_no_known_call_stands_alone():
    assert translated(output("call_9")) == (
        Message(Role.TOOL, "ok", extra={"tool_call_id": "call_9"}),
    )


def test_an_output_can_have_parts():
    parts = [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:"}]

    [message] = translated(output(value=parts))

    assert (message.text, message.media) == ("a", (MediaKind.IMAGE,))


def test_text_after_a_call_is_the_next_message():
    answers = translated(call(), said("assistant", "done"))

    assert [(message.text, len(message.tool_calls)) for message in answers] == [
        ("", 1),
        ("done", 0),
    ]


def test_two_texts_in_a_row_are_two_messages():
    answers = translated(said("assistant", "a"), said("assistant", "b"))

    assert [message.text for message in answers] == ["a", "b"]


def test_readable_thoughts_go_with_the_answer_that_follows():
    [answer, _result, last] = translated(
        thoughts("hm"), said("assistant", "I look."), call(), output(), thoughts("aha")
    ) + translated(thoughts("so"), said("assistant", "done"))

    assert (answer.reasoning, answer.text, answer.tool_calls) == ("hm", "I look.", (SHELL,))
    assert (last.reasoning, last.text) == ("so", "done")


def test_thoughts_in_full_go_before_their_summary():
    full = [{"type": "reasoning_text", "text": "in full"}]

    [answer] = translated(thoughts("short", content=full), call())

    assert answer.reasoning == "in full"


def test_thoughts_that_cannot_be_read_are_passed_over():
    """Public case re-03."""
    opaque = {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAAA-OPAQUE"}

    [answer] = translated({**opaque, "content": None, "status": None}, call())

    assert answer == Message(Role.ASSISTANT, "", tool_calls=(SHELL,))


def test_thoughts_that_led_to_nothing_are_dropped():
    assert translated(said("user", "hi"), thoughts("hm"), said("user", "hi")) == (USER, USER)


def test_thoughts_after_a_call_begin_another_answer():
    first, second = translated(call(), thoughts("hm"), call("call_2"))

    assert (first.reasoning, second.reasoning) == (None, "hm")
    assert second.tool_calls[0].id == "call_2"


def test_calls_of_tools_in_a_namespace_have_the_name_that_the_model_knows():
    tools = [
        {"type": "function", "name": "a__shell"},
        {"type": "namespace", "name": "a", "tools": [{"type": "function", "name": "shell"}]},
    ]

    [answer] = translated(call(namespace="a"), tools=tools)

    assert answer.tool_calls[0].name == "a__shell_"


def test_calls_of_custom_tools_have_one_argument():
    patch = {
        "type": "custom_tool_call",
        "call_id": "call_1",
        "name": "apply_patch",
        "input": "*** Begin",
    }

    answer, result = translated(patch, output(kind="custom_tool_call_output"))

    assert answer.tool_calls == (ToolCall("call_1", "apply_patch", {"input": "*** Begin"}),)
    assert result.extra == {"tool_call_id": "call_1", "name": "apply_patch"}


@pytest.mark.parametrize(
    ("arguments", "decoded"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("", {}),
        (None, {}),
        ("null", {}),
        ('{"a": "x\ny"}', {"a": "x\ny"}),
        ('{"a": ', {"input": '{"a": '}),
        ("[1]", {"input": "[1]"}),
        ("[" * 5000, {"input": "[" * 5000}),
    ],
)
def test_arguments_reach_the_model_as_it_wrote_them(arguments, decoded):
    [answer] = translated(call(arguments=arguments))

    assert answer.tool_calls[0].arguments == decoded


@pytest.mark.parametrize("kind", ["web_search_call", "compaction", "additional_tools", "new_thing"])
def test_items_of_tools_that_run_elsewhere_are_passed_over(kind):
    assert translated(said("user", "hi"), {"type": kind, "id": "x"}) == (USER,)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (said("tool", "x"), "input[0].role is 'tool', expected one of 'user', 'assistant'"),
        ({"role": ["user"]}, "input[0].role is ['user']"),
        (said("user", 5), "input[0].content must be a string or a list of parts"),
        (call(name=""), "input[0].name must not be empty"),
        (call(name=5), "input[0].name must be a string"),
        (call(call_id=None), "input[0].call_id must be a string"),
        (call(arguments=5), "input[0].arguments must be a string"),
        (call(namespace=5), "input[0].namespace must be a string"),
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "n"},
            "input[0].input must be a string",
        ),
        ({"type": "function_call_output", "output": "x"}, "input[0].call_id must be a string"),
        (output(value={"a": 1}), "input[0].output must be a string or a list of parts"),
        ({"type": "reasoning", "summary": 5}, "input[0].summary must be a string or a list"),
    ],
)
def test_what_means_nothing_is_named(item, message):
    with pytest.raises(InvalidRequest) as raised:
        translated(item)

    assert message in raised.value.message
    assert raised.value.param == "input"
