"""OpenAI's messages to ours."""

import copy
import time

import pytest

from inference.api.openai.messages import to_messages
from inference.errors import InvalidRequest
from inference.messages import MediaKind, Message, Role, ToolCall


def message_of(**message):
    [translated] = to_messages([{"role": "user", **message}])
    return translated


def answer_of(**message):
    return message_of(role="assistant", **message)


def call(arguments, **fields):
    return {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}} | (
        fields
    )


def refusal_of(*messages):
    with pytest.raises(InvalidRequest) as raised:
        to_messages(messages)
    assert raised.value.param == "messages"
    return raised.value.message


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("system", Role.SYSTEM),
        ("developer", Role.SYSTEM),
        ("user", Role.USER),
        ("assistant", Role.ASSISTANT),
        ("tool", Role.TOOL),
        ("function", Role.TOOL),
    ],
)
def test_the_roles_are_ours_and_older_and_newer_names_of_them(role, expected):
    assert message_of(role=role, content="x").role is expected


@pytest.mark.parametrize("role", [None, "", "User", "banana", 1, ["user"], {}])
def test_an_unknown_role_is_told_the_known_ones(role):
    message = refusal_of({"role": "user", "content": "a"}, {"role": role, "content": "b"})

    assert message == (
        f"messages[1].role is {role!r}, expected one of "
        "'system', 'user', 'assistant', 'tool', 'developer', 'function'"
    )


@pytest.mark.parametrize("role", ["system", "developer", "user", "assistant", "tool"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("hi", "hi"),
        ("", ""),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}], "ab"),
        ([{"type": "refusal", "refusal": "no"}], "no"),
        (["a", "b"], "ab"),
    ],
)
def test_content_of_any_role_is_text_parts_or_nothing(role, content, expected):
    assert message_of(role=role, content=content).text == expected


def test_a_message_without_content_is_empty():
    assert message_of().text == ""


@pytest.mark.parametrize("content", [1, True, {"type": "text", "text": "a"}])
def test_content_of_another_type_is_refused(content):
    message = refusal_of({"role": "user", "content": content})

    assert message == "messages[0].content must be a string or a list of parts"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "text"}, ".text must be a string"),
        ({"type": "text", "text": None}, ".text must be a string"),
        ({"type": "text", "text": 1}, ".text must be a string"),
        ({"type": "hologram", "x": 1}, ".type is 'hologram', expected one of 'text', "),
        ({"type": ["text"], "text": "a"}, ".type is ['text'], expected one of "),
        ({"type": {}, "text": "a"}, ".type is {}, expected one of "),
        ({"text": "a"}, ".type is None, expected one of "),
        (1, " must be a string or an object with a type"),
        (None, " must be a string or an object with a type"),
    ],
)
def test_a_part_that_means_nothing_is_named_and_never_dropped_in_silence(part, expected):
    message = refusal_of({"role": "user", "content": ["before", part]})

    assert message.startswith(f"messages[0].content[1]{expected}")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("image_url", MediaKind.IMAGE),
        ("image", MediaKind.IMAGE),
        ("input_audio", MediaKind.AUDIO),
        ("audio", MediaKind.AUDIO),
        ("audio_url", MediaKind.AUDIO),
        ("video_url", MediaKind.VIDEO),
        ("video", MediaKind.VIDEO),
    ],
)
def test_media_parts_are_kept_by_kind_beside_the_text(kind, expected):
    message = message_of(content=["a", {"type": kind}, "b", {"type": "image"}])

    assert (message.text, message.media) == ("ab", (expected, MediaKind.IMAGE))


def test_the_fields_that_templates_read_pass_as_they_stand():
    message = message_of(role="tool", content="x", name="ann", tool_call_id="t1", audio="no")

    assert message == Message(Role.TOOL, "x", extra={"name": "ann", "tool_call_id": "t1"})
    assert message_of(content="x", name=None, tool_call_id=None).extra == {}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"reasoning_content": None, "reasoning": None}, None),
        ({"reasoning_content": "a"}, "a"),
        ({"reasoning": "b"}, "b"),
        ({"reasoning_content": None, "reasoning": "b"}, "b"),
        ({"reasoning_content": "a", "reasoning": "b"}, "a"),
        ({"reasoning_content": "", "reasoning": "b"}, ""),
    ],
)
def test_reasoning_has_two_names_and_the_explicit_one_wins_even_when_empty(fields, expected):
    message = answer_of(tool_calls=[call("{}")], **fields)

    assert message.reasoning == expected
    assert message.tool_calls


def test_only_an_assistant_thinks_and_calls():
    message = message_of(content="x", reasoning="a", tool_calls=[call("{}")], function_call={})

    assert message == Message(Role.USER, "x")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"a": 2, "b": [1]}', {"a": 2, "b": [1]}),
        ({"a": 2}, {"a": 2}),
        ("{}", {}),
        ("", {}),
        (None, {}),
        ("null", {}),
        ('{"code": "a\nb"}', {"code": "a\nb"}),
    ],
)
def test_arguments_come_as_text_or_as_an_object(arguments, expected):
    assert answer_of(tool_calls=[call(arguments)]).tool_calls == (ToolCall("c1", "f", expected),)


@pytest.mark.parametrize(
    "raw",
    ['{"city": "Par', "Paris", "[1]", "7", '"x"', "[" * 10**6, '{"n": 1' + "0" * 5000 + "}"],
    ids=lambda raw: raw[:12],
)
def test_arguments_that_are_no_json_object_are_kept_as_one_argument(raw):
    assert answer_of(tool_calls=[call(raw)]).tool_calls[0].arguments == {"input": raw}


def test_calls_keep_their_order_and_need_no_id():
    calls = [call("{}", id="a"), {"function": {"name": "g"}}, call("{}", id=None)]

    message = answer_of(tool_calls=calls)

    assert [(made.id, made.name) for made in message.tool_calls] == [
        ("a", "f"),
        ("", "g"),
        ("", "f"),
    ]


def test_the_older_way_to_call_is_understood():
    older = {"name": "f", "arguments": '{"a": 1}'}

    assert answer_of(function_call=older).tool_calls == (ToolCall("", "f", {"a": 1}),)
    assert answer_of(tool_calls=[], function_call=older).tool_calls == ()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": 1}, ".name must be a string"),
        ({"tool_call_id": 7}, ".tool_call_id must be a string"),
        ({"reasoning_content": []}, ".reasoning_content must be a string"),
        ({"reasoning": {}}, ".reasoning must be a string"),
        ({"tool_calls": {}}, ".tool_calls must be a list"),
        ({"tool_calls": "x"}, ".tool_calls must be a list"),
        ({"tool_calls": [None]}, ".tool_calls[0] must be an object"),
        ({"tool_calls": [call("{}"), {}]}, ".tool_calls[1].function must be an object"),
        ({"tool_calls": [call("{}", id=1)]}, ".tool_calls[0].id must be a string"),
        (
            {"tool_calls": [{"function": {}}]},
            ".tool_calls[0].function.name must be a string that is not empty",
        ),
        (
            {"tool_calls": [call([1])]},
            ".tool_calls[0].function.arguments must be a string or an object",
        ),
        ({"function_call": "f"}, ".function_call must be an object"),
    ],
)
def test_a_field_of_a_wrong_type_is_named(fields, expected):
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", **fields}]

    assert refusal_of(*messages) == f"messages[1]{expected}"


def test_the_callers_messages_stay_as_they_are():
    # Public case pr-02: the arguments are decoded on our side only.
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call('{"city": "Paris", "n": [1]}')]},
        {"role": "developer", "content": [{"type": "text", "text": "ok"}], "reasoning": "r"},
    ]
    before = copy.deepcopy(messages)

    to_messages(messages)

    assert messages == before


def test_a_long_conversation_is_read_in_no_time():
    text = {"type": "text", "text": "x" * 2000}
    messages = [
        {"role": "user", "content": [text]},
        {"role": "assistant", "tool_calls": [call('{"a": "' + "y" * 1000 + '"}')]},
    ] * 2500
    start = time.perf_counter()

    assert len(to_messages(messages)) == 5000

    assert time.perf_counter() - start < 2  # 0.05 s on a machine that does nothing else
