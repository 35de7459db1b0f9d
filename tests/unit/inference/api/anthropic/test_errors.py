"""Our errors in Anthropic's words."""

import json
import logging

import pytest
from django.core.exceptions import RequestDataTooBig

from inference.api.anthropic import errors as wire
from inference.errors import (
    ContextOverBudget,
    EngineNotRunning,
    GenerationFailed,
    InferenceError,
    InvalidRequest,
    QueueFull,
)


def answer(handler, rf, error):
    response = handler(rf.post("/v1/messages"), error)
    body = json.loads(response.content)
    assert body.pop("request_id") == response["request-id"]
    return response, body


@pytest.mark.parametrize(
    ("error", "status", "type"),
    [
        (InvalidRequest("m"), 400, "invalid_request_error"),
        (QueueFull("m"), 429, "rate_limit_error"),
        (EngineNotRunning("m"), 503, "overloaded_error"),
        (GenerationFailed("m"), 500, "api_error"),
        (InferenceError("m"), 500, "api_error"),
    ],
)
def test_each_error_has_its_status_and_type(rf, error, status, type):
    response, body = answer(wire.inference_error, rf, error)

    assert response.status_code == status
    assert body == {"type": "error", "error": {"type": type, "message": "m"}}


def test_a_prompt_too_long_begins_with_the_words_that_agents_look_for(rf):
    error = ContextOverBudget("no room", "messages", prompt_tokens=9120, limit=8191)

    response, body = answer(wire.inference_error, rf, error)

    assert response.status_code == 400
    assert body["error"] == {
        "type": "invalid_request_error",
        "message": "prompt is too long: 9120 tokens > 8191 maximum; no room",
    }


@pytest.mark.parametrize(
    ("error", "after"),
    [(QueueFull("m"), "1"), (EngineNotRunning("m"), "1"), (InvalidRequest("m"), None)],
)
def test_errors_that_pass_say_when_to_try_again(rf, error, after):
    response, _body = answer(wire.inference_error, rf, error)

    assert response.get("Retry-After") == after


def test_a_body_too_large(rf):
    response, body = answer(wire.body_too_big, rf, RequestDataTooBig())

    assert response.status_code == 413
    assert body["error"]["type"] == "request_too_large"


def test_a_fault_of_ours_is_logged_with_the_id_that_the_caller_gets(rf, caplog):
    with caplog.at_level(logging.ERROR):
        response, body = answer(wire.unexpected_error, rf, KeyError("secret"))

    assert response.status_code == 500
    assert body["error"] == {"type": "api_error", "message": "internal error: KeyError"}
    assert response["request-id"] in caplog.text


def test_ids_are_not_repeated(rf):
    ids = {answer(wire.inference_error, rf, QueueFull("m"))[0]["request-id"] for _ in range(9)}

    assert len(ids) == 9
    assert all(name.startswith("req_") for name in ids)


def test_an_error_in_a_stream_is_a_named_event_whose_text_invites_to_try_again():
    name, data = wire.error_event(GenerationFailed("generation failed: x")).split("\n", 1)

    assert name == "event: error"
    assert json.loads(data.removeprefix("data: ")) == {
        "type": "error",
        "error": {"type": "api_error", "message": "server error: generation failed: x"},
    }
