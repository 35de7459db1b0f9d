"""Our errors in OpenAI's words."""

import json

import pytest
from django.core.exceptions import RequestDataTooBig

from inference.api.openai import errors as wire
from inference.errors import (
    ContextOverBudget,
    EngineNotRunning,
    GenerationFailed,
    InferenceError,
    InvalidRequest,
    KvOverBudget,
    QueueFull,
)


def answer(handler, rf, error):
    response = handler(rf.get("/v1/x"), error)
    return response, json.loads(response.content)["error"]


@pytest.mark.parametrize(
    ("error", "status", "type", "code"),
    [
        (InvalidRequest("m"), 400, "invalid_request_error", None),
        (
            ContextOverBudget("m", prompt_tokens=9, limit=8),
            400,
            "memory_admission",
            "context_over_budget",
        ),
        (KvOverBudget("m"), 400, "memory_admission", "kv_over_budget"),
        (QueueFull("m"), 429, "resource_admission", "queue_full"),
        (EngineNotRunning("m"), 503, "engine_unavailable", None),
        (GenerationFailed("m"), 500, "api_error", "server_error"),
        (InferenceError("m"), 500, "api_error", "server_error"),
    ],
)
def test_each_error_has_its_status_type_and_code(rf, error, status, type, code):
    response, body = answer(wire.inference_error, rf, error)

    assert response.status_code == status
    body["message"] = body["message"].partition(" (")[0]  # behind it, figures
    assert body == {"message": "m", "type": type, "param": None, "code": code}


def test_the_field_at_fault_is_named(rf):
    _response, body = answer(wire.inference_error, rf, InvalidRequest("m", "top_p"))

    assert body["param"] == "top_p"


@pytest.mark.parametrize("error", [QueueFull("m"), EngineNotRunning("m")])
def test_what_may_succeed_later_says_when(rf, error):
    response, _body = answer(wire.inference_error, rf, error)

    assert response["Retry-After"] == "1"


def test_every_error_of_ours_has_a_row():
    def below(kind):
        return {kind}.union(*(below(child) for child in kind.__subclasses__()))

    assert below(InferenceError) == {kind for kind, *_rest in wire._WIRE}


def test_a_body_too_large_is_told(rf):
    response, body = answer(wire.body_too_big, rf, RequestDataTooBig())

    assert (response.status_code, body["code"]) == (413, "request_too_large")


def test_a_fault_of_ours_tells_its_kind_and_leaves_its_text_to_the_log(rf, caplog):
    response, body = answer(wire.unexpected_error, rf, ZeroDivisionError("a secret path"))

    assert response.status_code == 500
    assert body == {
        "message": "internal error: ZeroDivisionError",
        "type": "api_error",
        "param": None,
        "code": "server_error",
    }
    assert "a secret path" in caplog.text
