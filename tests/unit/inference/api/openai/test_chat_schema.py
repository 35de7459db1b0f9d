"""A chat request's own fields: messages, tools, thinking."""

import pytest

from inference.api.openai.chat_schema import EFFORTS, ChatCompletionBody
from inference.api.openai.fields import GenerationFields
from inference.errors import InvalidRequest

MESSAGES = [{"role": "user", "content": "hi"}]


def parse(**fields):
    return ChatCompletionBody.from_json({"messages": MESSAGES, **fields})


def test_messages_alone_are_enough():
    assert parse() == ChatCompletionBody(
        messages=tuple(MESSAGES),
        fields=GenerationFields.from_json({}),
        tools=(),
        template_options={},
    )


def test_null_is_the_same_as_absent():
    names = ["tools", "tool_choice", "reasoning_effort", "chat_template_kwargs", "temperature"]

    assert parse(**dict.fromkeys(names)) == parse()


@pytest.mark.parametrize(
    ("fields", "message", "param"),
    [
        ({"messages": None}, "messages required", "messages"),
        ({"messages": []}, "messages required", "messages"),
        ({"messages": {}}, "messages must be a list of objects", "messages"),
        ({"messages": "hi"}, "messages must be a list of objects", "messages"),
        ({"messages": ["hi"]}, "messages must be a list of objects", "messages"),
        ({"max_tokens": 0}, "max_tokens must be at least 1", "max_tokens"),
        (
            {"tools": "all"},
            "tools must be a list of function objects, each with a name",
            "tools",
        ),
        (
            {"chat_template_kwargs": []},
            "chat_template_kwargs must be an object",
            "chat_template_kwargs",
        ),
        (
            {"chat_template_kwargs": {"enable_thinking": "false"}},
            "enable_thinking must be of type bool",
            "enable_thinking",
        ),
    ],
)
def test_a_field_at_fault_is_named(fields, message, param):
    with pytest.raises(InvalidRequest) as raised:
        parse(**fields)

    assert (raised.value.message, raised.value.param) == (message, param)


@pytest.mark.parametrize("effort", ["", "None", "max", 1, True, ["low"], {}])
def test_an_unknown_effort_is_told_the_known_ones(effort):
    with pytest.raises(InvalidRequest) as raised:
        parse(reasoning_effort=effort)

    assert raised.value.message == (
        "reasoning_effort must be one of 'none', 'minimal', 'low', 'medium', 'high', 'xhigh'"
    )
    assert raised.value.param == "reasoning_effort"


@pytest.mark.parametrize("effort", EFFORTS)
def test_an_effort_decides_whether_to_think(effort):
    options = parse(reasoning_effort=effort, chat_template_kwargs={"other": 1}).template_options

    assert options == {"other": 1, "enable_thinking": effort != "none"}


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("effort", ["none", "high"])
def test_an_explicit_thinking_wins_over_the_effort(thinking, effort):
    body = parse(reasoning_effort=effort, chat_template_kwargs={"enable_thinking": thinking})

    assert body.template_options == {"enable_thinking": thinking}


def test_a_thinking_of_null_leaves_it_to_the_effort():
    body = parse(reasoning_effort="none", chat_template_kwargs={"enable_thinking": None})

    assert body.template_options == {"enable_thinking": False}


def test_template_options_pass_as_they_were_sent():
    options = {"enable_thinking": True, "preserve_thinking": False, "custom": {"a": [1, None]}}

    assert parse(chat_template_kwargs=options).template_options == options
