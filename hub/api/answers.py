"""The form of answers of the hub's own routes: `ok`, and what goes with it."""

import logging
from typing import Any

from django.http import HttpRequest, JsonResponse

from hub.downloads.errors import AlreadyDownloading, InvalidName
from hub.errors import AmbiguousModel, BrokenModel, HubError, ModelNotFound
from hub.token import InvalidToken

logger = logging.getLogger(__name__)


class BadRequest(HubError):
    """What the caller sent cannot be understood; the text says what is missing."""


STATUS: dict[type[HubError], int] = {
    BadRequest: 400,
    InvalidName: 400,
    InvalidToken: 400,
    AmbiguousModel: 400,
    BrokenModel: 400,
    ModelNotFound: 404,
    AlreadyDownloading: 409,
}


def success(status: int = 200, **fields: Any) -> JsonResponse:
    return JsonResponse({"ok": True, **fields}, status=status)


def failure(status: int, error: str) -> JsonResponse:
    return JsonResponse({"ok": False, "error": error}, status=status)


def hub_error(request: HttpRequest, error: HubError) -> JsonResponse:
    """Word a domain error; one that is not the caller's mistake is the server's, and logged."""
    status = STATUS.get(type(error), 500)
    if status == 500:
        logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return failure(status, str(error))


def body_too_big(request: HttpRequest, error: Exception) -> JsonResponse:
    return failure(413, "request body is too large")


def unexpected_error(request: HttpRequest, error: Exception) -> JsonResponse:
    logger.error("%s %s failed", request.method, request.path, exc_info=error)
    return failure(500, "internal server error")
