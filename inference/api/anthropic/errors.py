"""Our errors in Anthropic's words: the one place that knows status codes and bodies."""

import logging
import secrets
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse

from inference.api import sse
from inference.errors import (
    ContextOverBudget,
    EngineNotRunning,
    GenerationFailed,
    InferenceError,
    InvalidRequest,
    QueueFull,
)

logger = logging.getLogger(__name__)

# By class, the narrowest first: status, type. The status that Anthropic sends with the type
# `overloaded_error` is 529, its own invention; clients try again after 503 just as well.
_WIRE: list[tuple[type[InferenceError], int, str]] = [
    (InvalidRequest, 400, "invalid_request_error"),
    (QueueFull, 429, "rate_limit_error"),
    (EngineNotRunning, 503, "overloaded_error"),
    (GenerationFailed, 500, "api_error"),
    (InferenceError, 500, "api_error"),
]


def inference_error(request: HttpRequest, error: InferenceError) -> JsonResponse:
    status, kind = _classify(error)
    response = _response(status, kind, _message(error), _new_id())
    if status in (429, 503):
        response["Retry-After"] = "1"
    return response


def body_too_big(request: HttpRequest, error: RequestDataTooBig) -> JsonResponse:
    return _response(413, "request_too_large", "request body is too large", _new_id())


def unexpected_error(request: HttpRequest, error: Exception) -> JsonResponse:
    """Answer a fault of ours: the log gets the stack, the caller the fact."""
    request_id = _new_id()
    logger.error("%s %s failed, %s", request.method, request.path, request_id, exc_info=error)
    return _response(500, "api_error", f"internal error: {type(error).__name__}", request_id)


def error_event(error: InferenceError) -> str:
    """Encode what ends a stream that has begun.

    No status says that trying again can help, so the text does: clients look for these words.
    """
    _status, kind = _classify(error)
    return sse.encode(_body(kind, f"server error: {_message(error)}"), "error")


def _classify(error: InferenceError) -> tuple[int, str]:
    for kind, status, wire_type in _WIRE:
        if isinstance(error, kind):
            return status, wire_type
    raise AssertionError("the root of the tree is in the table")


def _message(error: InferenceError) -> str:
    """Return the text for the caller. Agents shorten a conversation when they read this one."""
    if isinstance(error, ContextOverBudget):
        return (
            f"prompt is too long: {error.prompt_tokens} tokens > {error.limit} maximum; "
            f"{error.message}"
        )
    return error.message


def _response(status: int, kind: str, message: str, request_id: str) -> JsonResponse:
    body = {**_body(kind, message), "request_id": request_id}
    return JsonResponse(body, status=status, headers={"request-id": request_id})


def _body(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _new_id() -> str:
    return f"req_{secrets.token_hex(12)}"
