"""Our errors in the words of the Responses protocol: all statuses, types and codes are here."""

import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse

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

# By class, the narrowest first: status, type, code. A client shortens a conversation only if
# it reads this code.
_WIRE: list[tuple[type[InferenceError], int, str, str | None]] = [
    (ContextOverBudget, 400, "invalid_request_error", "context_length_exceeded"),
    (KvOverBudget, 400, "invalid_request_error", "kv_over_budget"),
    (InvalidRequest, 400, "invalid_request_error", None),
    (QueueFull, 429, "server_error", "rate_limit_exceeded"),
    (EngineNotRunning, 503, "server_error", None),
    (GenerationFailed, 500, "server_error", None),
    (InferenceError, 500, "server_error", None),
]


class NotStored(LookupError):
    """Nothing is kept under an id: never stored, or deleted, expired or evicted since."""

    def __init__(self, what: str, wire_id: str) -> None:
        self.message = (
            f"{what} with id '{wire_id}' not found; what is stored is kept for an hour at most "
            "and lost when the server stops; send the conversation as input instead"
        )
        super().__init__(self.message)


def inference_error(request: HttpRequest, error: InferenceError) -> JsonResponse:
    status, kind, code = _classify(error)
    response = JsonResponse(_body(_message(error), kind, code), status=status)
    if status in (429, 503):
        response["Retry-After"] = "1"
    return response


def not_stored(request: HttpRequest, error: NotStored) -> JsonResponse:
    return JsonResponse(_body(error.message, "invalid_request_error"), status=404)


def body_too_big(request: HttpRequest, error: RequestDataTooBig) -> JsonResponse:
    body = _body("request body is too large", "invalid_request_error")
    return JsonResponse(body, status=413)


def unexpected_error(request: HttpRequest, error: Exception) -> JsonResponse:
    """Answer a fault of ours: the log gets the stack, the caller the fact."""
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return JsonResponse(
        _body(f"internal error: {type(error).__name__}", "server_error"), status=500
    )


def failure(error: InferenceError) -> dict[str, Any]:
    """Return the `error` of a response that failed after its stream had begun.

    No status says that trying again can help, so the text does: clients look for these words.
    """
    _status, _kind, code = _classify(error)
    return {"code": code or "server_error", "message": f"server error: {_message(error)}"}


def _classify(error: InferenceError) -> tuple[int, str, str | None]:
    for kind, status, wire_type, code in _WIRE:
        if isinstance(error, kind):
            return status, wire_type, code
    raise AssertionError("the root of the tree is in the table")


def _message(error: InferenceError) -> str:
    """Return the text for the caller; agents know this one for a prompt too long by its words."""
    if isinstance(error, ContextOverBudget):
        return (
            f"prompt is too long: {error.prompt_tokens} tokens > {error.limit} maximum; "
            f"{error.message}"
        )
    return error.message


def _body(message: str, kind: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
