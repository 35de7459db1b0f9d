"""What a request may ask for, over HTTP and on both routes."""

import re

import pytest

CONTEXT = 8192  # tokens, of the scripted model
TOOL = {"type": "function", "function": {"name": "f"}}

pytestmark = pytest.mark.slow


@pytest.fixture
def ask(http, route):
    """Call with the fields of a request; returns the response."""
    return lambda text="hi", **fields: http.post(route.path, json=route.body(text, **fields))


def error_of(response):
    assert response.status_code == 400, response.text
    assert response.headers["Content-Type"] == "application/json"
    return response.json()["error"]


@pytest.mark.parametrize(
    ("limits", "tokens"),
    [
        ({"max_tokens": 1}, 1),
        ({"max_tokens": 50, "max_completion_tokens": 1}, 1),
        ({"max_tokens": None}, 41),
        ({}, 41),
    ],
)
def test_the_token_limit_holds_and_null_is_none(ask, limits, tokens):
    """Public case pa-01."""
    answer = ask(**limits).json()

    assert answer["usage"]["completion_tokens"] == tokens
    assert answer["choices"][0]["finish_reason"] == ("length" if tokens == 1 else "stop")


@pytest.mark.parametrize("limit", [0, -1, 1.5])
def test_a_token_limit_that_means_nothing_is_refused(ask, limit):
    """Public case pa-01: 0 must not mean "no limit"."""
    assert error_of(ask(max_tokens=limit))["param"] == "max_tokens"


@pytest.mark.parametrize(
    ("bias", "message"),
    [
        ({"abc": 1}, "logit_bias must be a dict of int to float"),
        ({"5": "x"}, "logit_bias must be a dict of int to float"),
        ({"99999999": 1}, None),
        ({"-1": 1}, None),
    ],
)
def test_a_bias_for_no_token_is_refused(ask, bias, message):
    """Public case pa-03."""
    error = error_of(ask(logit_bias=bias))

    assert error["param"] == "logit_bias"
    assert message is None or error["message"] == message


@pytest.mark.parametrize("bias", [{}, {"5": 1, "6": -1.5}])
def test_a_bias_is_taken(ask, bias):
    """Public case pa-03."""
    assert ask(logit_bias=bias, max_tokens=2).status_code == 200


def test_logprobs_alone_are_ids_and_values(ask):
    """Public case pa-06."""
    answer = ask(temperature=0, max_tokens=3, logprobs=True).json()

    entries = answer["choices"][0]["logprobs"]["content"]
    assert len(entries) == answer["usage"]["completion_tokens"] == 3
    assert all(set(entry) == {"id", "logprob"} for entry in entries)
    assert all(entry["logprob"] <= 0 for entry in entries)
    assert bytes(entry["id"] for entry in entries) == b"Thi"


def test_alternatives_are_sorted_and_begin_with_the_greedy_token(ask):
    """Public case pa-06."""
    answer = ask(temperature=0, max_tokens=3, logprobs=True, top_logprobs=5).json()

    entries = answer["choices"][0]["logprobs"]["content"]
    assert "".join(entry["token"] for entry in entries) == "Thi"
    for entry in entries:
        top = entry["top_logprobs"]
        values = [candidate["logprob"] for candidate in top]
        assert len(top) == 5
        assert values == sorted(values, reverse=True)
        assert top[0].items() <= entry.items()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"logprobs": 1}, "logprobs must be of type bool"),
        ({"logprobs": True, "top_logprobs": 12}, "top_logprobs must be at most 11"),
    ],
)
def test_logprobs_that_cannot_be_are_refused(ask, fields, message):
    """Public case pa-06."""
    assert error_of(ask(**fields))["message"] == message


@pytest.mark.parametrize("fields", [{"top_logprobs": -1}, {"logprobs": False}, {}])
def test_logprobs_that_nobody_asked_for_are_not_there(ask, fields):
    """Public case pa-06."""
    response = ask(max_tokens=1, **fields)

    assert response.status_code == 200
    assert "logprobs" not in response.json()["choices"][0]


@pytest.mark.parametrize("model", [{"model": "gpt-4o-mini"}, {}, {"model": "../../x"}])
def test_the_model_field_is_ignored_and_the_served_model_is_named(ask, model):
    """Public case pa-07."""
    response = ask(max_tokens=1, **model)

    assert response.status_code == 200
    assert response.json()["model"] == "scripted"


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_beyond_the_context_is_told_both_numbers(ask, stream):
    """Public case pa-12: before the stream begins, too."""
    words = "word " * 2000

    error = error_of(ask(words, stream=stream, max_tokens=4))

    assert (error["type"], error["code"]) == ("memory_admission", "context_over_budget")
    assert "context" in error["message"]
    assert str(CONTEXT) in error["message"]
    # What coding agents look for, behind the contract's own sentence.
    found = re.search(r"prompt is too long: (\d+) tokens > (\d+) maximum", error["message"])
    assert 10_000 <= int(found[1]) <= 10_100
    assert int(found[2]) == CONTEXT - 1


def test_a_limit_beyond_the_context_is_capped(ask):
    """Public case pa-12."""
    response = ask("word " * 1600, max_tokens=10**9)

    assert response.status_code == 200
    assert response.json()["usage"]["total_tokens"] == CONTEXT
    assert response.json()["choices"][0]["finish_reason"] == "length"


def test_an_adapter_that_is_not_mounted_is_refused(ask):
    error = error_of(ask(adapter="my-lora"))

    assert error["param"] == "adapter"
    assert "unknown adapter 'my-lora'" in error["message"]


def test_every_sampling_field_is_taken(ask):
    response = ask(
        max_tokens=2,
        temperature=0.5,
        top_p=0.9,
        top_k=5,
        min_p=0.05,
        xtc_probability=0.5,
        xtc_threshold=0.1,
        repetition_penalty=1.1,
        repetition_context_size=0,
        presence_penalty=-0.5,
        presence_context_size=5,
        frequency_penalty=0.5,
        frequency_context_size=5,
        seed=1,
    )

    assert response.json()["usage"]["completion_tokens"] == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [TOOL], "tool_choice": "auto"},
        {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}},
        {"tools": [], "tool_choice": "none"},
        {"reasoning_effort": "none"},
        {"reasoning_effort": "high", "chat_template_kwargs": {"enable_thinking": False}},
    ],
)
def test_a_chat_may_bring_tools_and_say_how_to_think(http, fields):
    body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 1, **fields}

    assert http.post("/v1/chat/completions", json=body).status_code == 200


@pytest.mark.parametrize("prompt", [None, "", [], ["hi"], [1, 2], 1])
def test_a_text_completion_needs_text(http, prompt):
    response = http.post("/v1/completions", json={"prompt": prompt})

    assert error_of(response)["param"] == "prompt"
