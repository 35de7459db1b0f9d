"""A chat request's fields: their types, their ranges, and what is ignored."""

import dataclasses

import pytest

from inference.api.openai.schemas import MAX_SEED, MAX_STOPS, ChatCompletionBody
from inference.errors import InvalidRequest

MESSAGES = [{"role": "user", "content": "hi"}]


def parse(**fields):
    return ChatCompletionBody.from_json({"messages": MESSAGES, **fields})


def test_messages_alone_are_enough():
    assert parse() == ChatCompletionBody(
        messages=tuple(MESSAGES),
        stream=False,
        max_tokens=None,
        temperature=None,
        top_p=None,
        top_k=None,
        seed=None,
        stop=(),
        chat_template_kwargs={},
    )


def test_null_is_the_same_as_absent():
    fields = [field.name for field in dataclasses.fields(ChatCompletionBody)]
    fields += ["max_completion_tokens", "n", "stream_options", "tools", "user"]
    fields.remove("messages")

    assert parse(**dict.fromkeys(fields)) == parse()


def test_unknown_fields_are_ignored():
    assert parse(model=7, user=[], metadata={"a": 1}, no_such_field=1) == parse()


@pytest.mark.parametrize(
    ("fields", "message", "param"),
    [
        ({"messages": None}, "messages required", "messages"),
        ({"messages": []}, "messages required", "messages"),
        ({"messages": {}}, "messages must be a list of objects", "messages"),
        ({"messages": "hi"}, "messages must be a list of objects", "messages"),
        ({"messages": ["hi"]}, "messages must be a list of objects", "messages"),
        ({"stream": "yes"}, "stream must be of type bool", "stream"),
        ({"max_tokens": 0}, "max_tokens must be at least 1", "max_tokens"),
        ({"max_tokens": -1}, "max_tokens must be at least 1", "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens must be of type int", "max_tokens"),
        (
            {"max_completion_tokens": 0, "max_tokens": 5},
            "max_completion_tokens must be at least 1",
            "max_completion_tokens",
        ),
        (
            {"max_completion_tokens": 5, "max_tokens": 0},
            "max_tokens must be at least 1",
            "max_tokens",
        ),
        ({"temperature": -0.1}, "temperature must be at least 0", "temperature"),
        ({"temperature": "0"}, "temperature must be of type ('float', 'int')", "temperature"),
        ({"temperature": 10**400}, "temperature must be a finite number", "temperature"),
        ({"top_p": 1.1}, "top_p must be at most 1", "top_p"),
        ({"top_p": -1}, "top_p must be at least 0", "top_p"),
        ({"top_k": -1}, "top_k must be at least 0", "top_k"),
        ({"top_k": 1.0}, "top_k must be of type int", "top_k"),
        ({"seed": 2**64}, f"seed must be at most {MAX_SEED}", "seed"),
        ({"seed": "1"}, "seed must be of type int", "seed"),
        ({"n": 0}, "n must be at least 1", "n"),
        ({"n": 2}, "n is 2, but this server gives 1 answer a request", "n"),
        ({"stop": 1}, "stop must be a string or a list of strings", "stop"),
        ({"stop": ["a", 1]}, "stop must be a string or a list of strings", "stop"),
        ({"stop": {}}, "stop must be a string or a list of strings", "stop"),
        (
            {"stop": ["a"] * (MAX_STOPS + 1)},
            "stop has 17 strings, the limit is 16; send fewer",
            "stop",
        ),
        (
            {"chat_template_kwargs": []},
            "chat_template_kwargs must be an object",
            "chat_template_kwargs",
        ),
    ],
)
def test_a_field_at_fault_is_named(fields, message, param):
    with pytest.raises(InvalidRequest) as raised:
        parse(**fields)

    assert (raised.value.message, raised.value.param) == (message, param)


def test_the_newer_name_of_the_limit_wins():
    assert parse(max_tokens=50, max_completion_tokens=1).max_tokens == 1
    assert parse(max_tokens=50).max_tokens == 50


@pytest.mark.parametrize(
    ("stop", "expected"),
    [("x", ("x",)), (["a", "b"], ("a", "b")), ([], ()), ("", ()), (["", "a"], ("a",))],
)
def test_stop_is_one_string_or_several(stop, expected):
    assert parse(stop=stop).stop == expected


@pytest.mark.parametrize(("seed", "expected"), [(0, 0), (MAX_SEED, MAX_SEED), (-1, MAX_SEED)])
def test_a_seed_has_64_bits(seed, expected):
    assert parse(seed=seed).seed == expected


def test_a_top_k_larger_than_any_vocabulary_is_allowed():
    assert parse(top_k=10**9, top_p=1, temperature=2).top_k == 10**9
