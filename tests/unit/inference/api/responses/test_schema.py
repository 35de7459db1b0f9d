"""What the Responses route takes, field by field."""

from dataclasses import replace

import pytest

from inference.api.responses.schema import ResponsesBody
from inference.constraint import AnyJson
from inference.errors import InvalidRequest

FIELDS = [
    "adapter",
    "chat_template_kwargs",
    "conversation",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tokens",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "reasoning",
    "store",
    "stream",
    "temperature",
    "text",
    "tool_choice",
    "tools",
]


def read(**fields):
    return ResponsesBody.from_json({"input": "hi", **fields})


def test_input_alone_is_enough():
    body = read()

    assert body.items == ({"type": "message", "role": "user", "content": "hi"},)
    assert (body.stream, body.store, body.max_tokens) == (False, True, None)
    assert (body.instructions, body.previous_response_id, body.constraint) == (None, None, None)
    assert (body.thinking, body.effort, body.tools, body.tool_choice) == (None, None, (), None)


def test_null_is_as_good_as_nothing():
    names = [name for name in FIELDS if name != "input"]

    body = read(**dict.fromkeys(names))

    assert replace(body, fields={}) == replace(read(), fields={})


def test_empty_instructions_are_none():
    """Public case re-05."""
    assert read(instructions="").instructions is None
    assert read(instructions="be kind").instructions == "be kind"


def test_the_protocols_own_name_of_the_limit_wins():
    assert read(max_output_tokens=3, max_tokens=5).max_tokens == 3
    assert read(max_tokens=5).max_tokens == 5


def test_sampling_fields_are_those_of_all_protocols():
    sampling = read(temperature=0.5, top_p=0.9, top_k=3, min_p=0.1, logit_bias={"5": 1}).sampling

    assert (sampling.temperature, sampling.top_p, sampling.top_k) == (0.5, 0.9, 3)
    assert (sampling.min_p, sampling.logit_bias) == (0.1, {5: 1.0})


@pytest.mark.parametrize(
    ("sent", "thinking", "effort"),
    [
        ("none", False, None),
        ("minimal", True, "minimal"),
        ("low", True, "low"),
        ("medium", True, "medium"),
        ("high", True, "high"),
        ("xhigh", True, "xhigh"),
        ("max", True, "xhigh"),
        (None, None, None),
    ],
)
def test_an_effort_says_whether_and_how_deeply_to_think(sent, thinking, effort):
    body = read(reasoning={"effort": sent, "summary": "auto"})

    assert (body.thinking, body.effort) == (thinking, effort)


def test_what_the_template_is_told_outright_wins():
    body = read(chat_template_kwargs={"enable_thinking": False}, reasoning={"effort": "high"})

    assert (body.thinking, body.effort) == (False, "high")
    assert body.template_options == {"enable_thinking": False}


def test_a_format_becomes_a_constraint():
    assert read(text={"format": {"type": "json_object"}}).constraint == AnyJson()


def test_what_is_not_known_is_ignored():
    read(
        include=["reasoning.encrypted_content"],
        client_metadata={"a": "b"},
        prompt_cache_key="k",
        user="u",
        truncation="auto",
        background=True,
        service_tier="flex",
        from_the_future={"x": 1},
    )


@pytest.mark.parametrize(
    ("fields", "param", "message"),
    [
        ({"input": None}, "input", "input required"),
        ({"instructions": 5}, "instructions", "instructions must be a string"),
        ({"previous_response_id": 5}, "previous_response_id", "must be a string"),
        ({"tools": {}}, "tools", "tools must be a list of objects"),
        ({"stream": "yes"}, "stream", "stream must be of type bool"),
        ({"store": 1}, "store", "store must be of type bool"),
        ({"max_output_tokens": 0}, "max_output_tokens", "at least 1"),
        ({"max_output_tokens": 3, "max_tokens": 0}, "max_tokens", "at least 1"),
        ({"top_p": 2}, "top_p", "top_p must be at most 1"),
        ({"text": "x"}, "text", "text must be an object"),
        ({"reasoning": "high"}, "reasoning", "reasoning must be an object"),
        ({"reasoning": {"effort": "huge"}}, "reasoning", "reasoning.effort must be one of 'none'"),
        ({"reasoning": {"effort": ["low"]}}, "reasoning", "reasoning.effort must be one of"),
        ({"metadata": []}, "metadata", "metadata must be an object"),
        ({"parallel_tool_calls": 1}, "parallel_tool_calls", "must be of type bool"),
        ({"chat_template_kwargs": 1}, "chat_template_kwargs", "must be an object"),
        ({"adapter": 1}, "adapter", "adapter must be a string"),
        ({"conversation": "conv_1"}, "conversation", "send previous_response_id"),
        ({"prompt": {"id": "pmpt_1"}}, "prompt", "send instructions and input"),
    ],
)
def test_a_field_at_fault_is_named(fields, param, message):
    with pytest.raises(InvalidRequest) as raised:
        read(**fields)

    assert message in raised.value.message
    assert raised.value.param == param


def test_a_body_nested_too_deep_is_refused():
    deep = {}
    for _ in range(200):
        deep = {"a": deep}

    with pytest.raises(InvalidRequest, match="nested deeper"):
        read(metadata=deep)
