"""JSON in place of Django's error pages."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse

from mlxsite.replies import Refusal


def not_found(request: HttpRequest, exception: Exception) -> JsonResponse:
    """The contract's exact body for a path that nothing answers."""
    return JsonResponse({"error": {"message": "not found"}}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> JsonResponse:
    if isinstance(exception, RequestDataTooBig):
        return _error(413, "request body is too large", "request_too_large")
    return _error(400, "bad request")


def forbidden(request: HttpRequest, exception: Exception) -> JsonResponse:
    return _error(403, "forbidden")


def server_error(request: HttpRequest) -> JsonResponse:
    return _error(500, "internal server error", type="server_error")


def _error(
    status: int, message: str, code: str | None = None, *, type: str = "invalid_request_error"
) -> JsonResponse:
    return JsonResponse(Refusal(status, message, code, type).body(), status=status)
