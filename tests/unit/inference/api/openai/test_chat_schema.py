"""A chat request's own fields: messages, tools, thinking."""

import pytest

from inference.api.openai.chat_schema import EFFORTS, ChatCompletionBody
from inference.api.openai.fields import GenerationFields
from inference.errors import InvalidRequest
from inference.request import ToolChoice

MESSAGES = [{"role": "user", "content": "hi"}]


def parse(**fields):
    return ChatCompletionBody.from_json({"messages": MESSAGES, **fields})


def test_messages_alone_are_enough():
    assert parse() == ChatCompletionBody(
        messages=tuple(MESSAGES),
        fields=GenerationFields.from_json({}),
        tools=(),
        tool_choice=ToolChoice(),
        thinking=None,
        effort=None,
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
def test_an_effort_decides_whether_to_think_and_how_deeply(effort):
    body = parse(reasoning_effort=effort, chat_template_kwargs={"other": 1})

    assert body.thinking is (effort != "none")
    assert body.effort == (None if effort == "none" else effort)
    assert body.template_options == {"other": 1}


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("effort", ["none", "high"])
def test_an_explicit_thinking_wins_over_the_effort(thinking, effort):
    body = parse(reasoning_effort=effort, chat_template_kwargs={"enable_thinking": thinking})

    assert body.thinking is thinking
    assert body.template_options == {}


def test_a_thinking_of_null_leaves_it_to_the_effort():
    body = parse(reasoning_effort="none", chat_template_kwargs={"enable_thinking": None})

    assert body.thinking is False


def test_other_template_options_pass_as_they_were_sent():
    options = {"preserve_thinking": False, "custom": {"a": [1, None]}}

    body = parse(chat_template_kwargs={"enable_thinking": True, **options})

    assert body.template_options == options
