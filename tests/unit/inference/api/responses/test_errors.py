"""Our errors in the words of the Responses protocol."""

import json

import pytest
from django.core.exceptions import RequestDataTooBig

from inference.api.responses import errors as wire
from inference.errors import (
    ContextOverBudget,
    EngineNotRunning,
    GenerationFailed,
    InferenceError,
    InvalidRequest,
    QueueFull,
)

TOO_LONG = ContextOverBudget("shorten it", "messages", prompt_tokens=9, limit=8)


def answer(handler, rf, error):
    response = handler(rf.get("/v1/x"), error)
    return response, json.loads(response.content)["error"]


@pytest.mark.parametrize(
    ("error", "status", "type", "code"),
    [
        (InvalidRequest("m", "input"), 400, "invalid_request_error", None),
        (QueueFull("m"), 429, "server_error", "rate_limit_exceeded"),
        (EngineNotRunning("m"), 503, "server_error", None),
        (GenerationFailed("m"), 500, "server_error", None),
        (InferenceError("m"), 500, "server_error", None),
    ],
)
def test_each_error_has_its_status_type_and_code(rf, error, status, type, code):
    response, body = answer(wire.inference_error, rf, error)

    assert response.status_code == status
    assert body == {"message": "m", "type": type, "param": None, "code": code}


def test_a_prompt_too_long_has_the_words_and_the_code_by_which_agents_know_it(rf):
    response, body = answer(wire.inference_error, rf, TOO_LONG)

    assert response.status_code == 400
    assert body["message"] == "prompt is too long: 9 tokens > 8 maximum; shorten it"
    assert (body["type"], body["code"]) == ("invalid_request_error", "context_length_exceeded")


@pytest.mark.parametrize("error", [QueueFull("m"), EngineNotRunning("m")])
def test_what_may_succeed_later_says_when(rf, error):
    response, _body = answer(wire.inference_error, rf, error)

    assert response["Retry-After"] == "1"


def test_every_error_of_ours_is_told(rf):
    def below(kind):
        return {kind}.union(*(below(child) for child in kind.__subclasses__()))

    assert below(InferenceError) == {kind for kind, *_rest in wire._WIRE}


def test_what_is_not_stored_is_404_and_says_what_to_do(rf):
    response, body = answer(wire.not_stored, rf, wire.NotStored("response", "resp_1"))

    assert response.status_code == 404
    assert (body["type"], body["param"], body["code"]) == ("invalid_request_error", None, None)
    assert body["message"].startswith("response with id 'resp_1' not found")
    assert "send the conversation as input" in body["message"]


def test_a_body_too_large_is_told(rf):
    response, body = answer(wire.body_too_big, rf, RequestDataTooBig())

    assert (response.status_code, body["type"]) == (413, "invalid_request_error")


def test_a_fault_of_ours_tells_its_kind_and_leaves_its_text_to_the_log(rf, caplog):
    response, body = answer(wire.unexpected_error, rf, ZeroDivisionError("a secret path"))

    assert response.status_code == 500
    assert body == {
        "message": "internal error: ZeroDivisionError",
        "type": "server_error",
        "param": None,
        "code": None,
    }
    assert "a secret path" in caplog.text


@pytest.mark.parametrize(
    ("error", "code"),
    [(GenerationFailed("m"), "server_error"), (TOO_LONG, "context_length_exceeded")],
)
def test_a_response_that_failed_has_a_code_and_words_that_make_clients_try_again(error, code):
    told = wire.failure(error)

    assert told["code"] == code
    assert told["message"].startswith("server error: ")
