"""Our errors in OpenAI's words: the one place that knows status codes and bodies."""

import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse

from hub.errors import HubError
from inference.errors import (
    ContextOverBudget,
    EngineNotRunning,
    GenerationFailed,
    InferenceError,
    InvalidRequest,
    KvOverBudget,
    QueueFull,
)

logger = logging.getLogger(__name__)

# By class, the narrowest first: status, type, code.
_WIRE: list[tuple[type[InferenceError], int, str, str | None]] = [
    (ContextOverBudget, 400, "memory_admission", "context_over_budget"),
    (KvOverBudget, 400, "memory_admission", "kv_over_budget"),
    (InvalidRequest, 400, "invalid_request_error", None),
    (QueueFull, 429, "resource_admission", "queue_full"),
    (EngineNotRunning, 503, "engine_unavailable", None),
    (GenerationFailed, 500, "api_error", "server_error"),
    (InferenceError, 500, "api_error", "server_error"),
]


def error_body(error: InferenceError) -> dict[str, Any]:
    _status, kind, code = _classify(error)
    return _body(_message(error), kind, code, getattr(error, "param", None))


def stream_error_body(error: InferenceError) -> dict[str, Any]:
    """Word an error after the first byte; clients retry what calls itself a server error."""
    body = error_body(error)
    if not isinstance(error, InvalidRequest):
        body["error"]["message"] = f"server error: {error.message}"
    return body


def _message(error: InferenceError) -> str:
    if isinstance(error, ContextOverBudget):
        # The words by which coding agents know that they have to compact.
        figures = f"prompt is too long: {error.prompt_tokens} tokens > {error.limit} maximum"
        return f"{error.message} ({figures})"
    return error.message


def inference_error(request: HttpRequest, error: InferenceError) -> JsonResponse:
    status, _kind, _code = _classify(error)
    response = JsonResponse(error_body(error), status=status)
    if status in (429, 503):
        response["Retry-After"] = "1"
    return response


def hub_error(request: HttpRequest, error: HubError) -> JsonResponse:
    """Word what is wrong with the models of this machine, which is no mistake of the caller's."""
    logger.error("%s %s failed: %s", request.method, request.path, error)
    return JsonResponse(_body(str(error), "api_error", "server_error"), status=500)


def body_too_big(request: HttpRequest, error: RequestDataTooBig) -> JsonResponse:
    body = _body("request body is too large", "invalid_request_error", "request_too_large")
    return JsonResponse(body, status=413)


def unexpected_error(request: HttpRequest, error: Exception) -> JsonResponse:
    """Answer a fault of ours: the log gets the stack, the caller the fact."""
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    body = _body(f"internal error: {type(error).__name__}", "api_error", "server_error")
    return JsonResponse(body, status=500)


def _classify(error: InferenceError) -> tuple[int, str, str | None]:
    for kind, status, wire_type, code in _WIRE:
        if isinstance(error, kind):
            return status, wire_type, code
    raise AssertionError("the root of the tree is in the table")


def _body(message: str, kind: str, code: str | None, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
