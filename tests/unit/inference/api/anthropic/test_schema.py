"""The body of a request for a message."""

import pytest

from inference.api.anthropic.schema import MessagesBody, PromptFields
from inference.constraint import JsonSchema
from inference.errors import InvalidRequest
from inference.request import SamplingChoice, ToolChoice

MESSAGES = [{"role": "user", "content": "hi"}]
FORMAT = {"type": "json_schema", "schema": {"type": "object"}}


def parse(**fields):
    return MessagesBody.from_json({"messages": MESSAGES, **fields})


def test_only_messages_are_required():
    """Without a limit the answer ends where the model or its context does."""
    assert parse() == MessagesBody(
        prompt=PromptFields(
            system=None,
            messages=tuple(MESSAGES),
            tools=(),
            tool_choice=ToolChoice(),
            thinking=None,
            effort=None,
        ),
        stream=False,
        max_tokens=None,
        sampling=SamplingChoice(),
        stop=(),
        constraint=None,
        expects_thinking=False,
        adapter=None,
    )


def test_null_is_the_same_as_absent():
    names = ["system", "tools", "tool_choice", "thinking", "output_config", "stream", "max_tokens"]
    names += ["stop_sequences", "temperature", "top_p", "top_k", "adapter", "output_format"]

    assert parse(**dict.fromkeys(names)) == parse()
    assert parse(output_config={"format": None}) == parse()


def test_what_agents_send_besides_is_ignored():
    ignored = {
        "model": 7,
        "metadata": {"user_id": "{}"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "service_tier": "auto",
        "mcp_servers": [],
        "container": None,
        "no_such_field": 1,
    }

    assert parse(**ignored) == parse()


def test_a_bias_is_no_field_of_this_protocol():
    assert parse(logit_bias={"5": 1}) == parse()
    assert parse(logit_bias="anything") == parse()


def test_every_field_of_sampling_arrives():
    fields = {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 40,
        "min_p": 0.1,
        "xtc_probability": 0.5,
        "xtc_threshold": 0.1,
        "repetition_penalty": 1.1,
        "repetition_context_size": 5,
        "presence_penalty": 0.5,
        "presence_context_size": 6,
        "frequency_penalty": 0.25,
        "frequency_context_size": 7,
        "seed": 3,
    }

    assert parse(**fields).sampling == SamplingChoice(**fields)


def test_the_other_fields_arrive():
    body = parse(
        stream=True,
        max_tokens=32000,
        stop_sequences=["ZZZ", "STOP"],
        thinking={"type": "enabled", "budget_tokens": 1024},
        output_config={"effort": "high", "format": FORMAT},
    )

    assert (body.stream, body.max_tokens, body.stop) == (True, 32000, ("ZZZ", "STOP"))
    assert (body.prompt.thinking, body.prompt.effort) == (True, "high")
    assert body.expects_thinking
    assert body.constraint == JsonSchema({"type": "object"})


def test_the_older_place_of_the_format():
    assert parse(output_format=FORMAT).constraint == JsonSchema({"type": "object"})


def test_adapters_are_chosen_by_name():
    assert parse(adapter="a+b").adapter == ("a", "b")
    assert parse().adapter is None


@pytest.mark.parametrize(
    ("fields", "message", "param"),
    [
        ({"messages": []}, "messages required", "messages"),
        ({"messages": None}, "messages required", "messages"),
        ({"messages": "hi"}, "messages must be a list of objects", "messages"),
        ({"messages": ["hi"]}, "messages must be a list of objects", "messages"),
        ({"stream": "yes"}, "stream must be of type bool", "stream"),
        ({"max_tokens": 0}, "max_tokens must be at least 1", "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens must be of type int", "max_tokens"),
        ({"temperature": -1}, "temperature must be at least 0", "temperature"),
        ({"top_p": 2}, "top_p must be at most 1", "top_p"),
        ({"top_k": "5"}, "top_k must be of type int", "top_k"),
        (
            {"stop_sequences": [1]},
            "stop_sequences must be a string or a list of strings",
            "stop_sequences",
        ),
        (
            {"adapter": "mine+"},
            "adapter cannot be read: a name is missing; write one id, or several as 'a+b'",
            "adapter",
        ),
        (
            {"output_config": {"format": {"type": "xml"}}},
            "output_config.format.type is 'xml', expected 'json_schema'",
            "output_config",
        ),
        (
            {"output_config": {"format": {"type": "json_schema"}}},
            "output_config.format.schema must be an object",
            "output_config",
        ),
        ({"output_config": {"format": "json"}}, "format must be an object", "format"),
        ({"output_format": "json"}, "output_format must be an object", "output_format"),
    ],
)
def test_a_field_at_fault_is_named(fields, message, param):
    with pytest.raises(InvalidRequest) as raised:
        parse(**fields)

    assert (raised.value.message, raised.value.param) == (message, param)
