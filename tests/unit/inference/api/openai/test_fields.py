"""The fields that chat and text completions share."""

import pytest

from inference.api.openai.fields import GenerationFields
from inference.api.stop import MAX_STOPS
from inference.constraint import AnyJson, JsonSchema, Regex
from inference.errors import InvalidRequest
from inference.request import SamplingChoice


def parse(**fields):
    return GenerationFields.from_json(fields)


def test_nothing_is_required():
    assert parse() == GenerationFields(
        stream=False,
        max_tokens=None,
        sampling=SamplingChoice(),
        stop=(),
        constraint=None,
        logprobs=None,
        adapter=None,
    )


def test_null_is_the_same_as_absent():
    names = ["stream", "max_tokens", "max_completion_tokens", "n", "stream_options", "stop"]
    names += ["logprobs", "top_logprobs", "user", "adapter", "hlg", "response_format"]
    names += ["guided_grammar", "guided_regex", "guided_choice", "structured_outputs"]

    assert parse(**dict.fromkeys(names)) == parse()


def test_unknown_fields_are_ignored():
    assert parse(model=7, user=[], metadata={"a": 1}, echo=True, no_such_field=1) == parse()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"response_format": {"type": "text"}}, None),
        ({"response_format": {"type": "json_object"}}, AnyJson()),
        ({"structured_outputs": {"type": "string"}}, JsonSchema({"type": "string"})),
        ({"guided_choice": ["a", "b"], "guided_regex": "a"}, Regex("a")),
    ],
)
def test_an_answer_can_be_constrained_in_several_spellings(fields, expected):
    assert parse(**fields).constraint == expected


@pytest.mark.parametrize(
    ("fields", "message", "param"),
    [
        ({"response_format": "json"}, "response_format must be an object", "response_format"),
        (
            {"response_format": {"type": "yaml"}},
            "response_format.type must be one of 'text', 'json_object', 'json_schema'",
            "response_format.type",
        ),
        (
            {"guided_regex": ""},
            "guided_regex must be a string that is not empty",
            "guided_regex",
        ),
        ({"stream": "yes"}, "stream must be of type bool", "stream"),
        ({"stream_options": []}, "stream_options must be an object", "stream_options"),
        (
            {"stream_options": {"include_usage": 1}},
            "include_usage must be of type bool",
            "include_usage",
        ),
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
        ({"top_p": 1.1}, "top_p must be at most 1", "top_p"),
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
    ],
)
def test_a_field_at_fault_is_named(fields, message, param):
    with pytest.raises(InvalidRequest) as raised:
        parse(**fields)

    assert (raised.value.message, raised.value.param) == (message, param)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fields", "message", "param"),
    [
        ({"logprobs": 1}, "logprobs must be of type bool", "logprobs"),
        ({"logprobs": "true"}, "logprobs must be of type bool", "logprobs"),
        ({"top_logprobs": "1"}, "top_logprobs must be of type int", "top_logprobs"),
        ({"top_logprobs": True}, "top_logprobs must be of type int", "top_logprobs"),
        ({"top_logprobs": -2}, "top_logprobs must be at least 0", "top_logprobs"),
        ({"top_logprobs": 12}, "top_logprobs must be at most 11", "top_logprobs"),
    ],
)
def test_logprobs_are_refused_in_the_words_of_mlx_lm(stream, fields, message, param):
    """Public case pa-06, the refusals."""
    with pytest.raises(InvalidRequest) as raised:
        parse(stream=stream, **fields)

    assert (raised.value.message, raised.value.param) == (message, param)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"logprobs": True}, 0),
        ({"logprobs": False}, None),
        ({"logprobs": True, "top_logprobs": 0}, 0),
        ({"logprobs": True, "top_logprobs": -1}, 0),
        ({"logprobs": True, "top_logprobs": 5}, 5),
        ({"top_logprobs": 11}, 11),
        ({"top_logprobs": 0}, None),
        ({"top_logprobs": -1}, None),
        ({"logprobs": True, "top_logprobs": 5, "stream": True}, None),
    ],
)
def test_logprobs_are_a_count_of_alternatives(fields, expected):
    assert parse(**fields).logprobs == expected


def test_the_newer_name_of_the_limit_wins():
    assert parse(max_tokens=50, max_completion_tokens=1).max_tokens == 1
    assert parse(max_tokens=50).max_tokens == 50


@pytest.mark.parametrize(
    ("stop", "expected"),
    [("x", ("x",)), (["a", "b"], ("a", "b")), ([], ()), ("", ()), (["", "a"], ("a",))],
)
def test_stop_is_one_string_or_several(stop, expected):
    assert parse(stop=stop).stop == expected
