"""JSON in place of Django's error pages."""

from collections.abc import Awaitable, Callable

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import async_only_middleware

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


@async_only_middleware
def method_not_allowed(
    get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Word a refused method. A middleware, for want of a `handler405`."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        response = await get_response(request)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        allowed = ", ".join(sorted(response["Allow"].split(", ")))  # Ninja keeps them in a set
        json = _error(405, f"{request.method} is not allowed here, only {allowed}")
        json["Allow"] = allowed
        return json

    return answer


def _error(
    status: int, message: str, code: str | None = None, *, type: str = "invalid_request_error"
) -> JsonResponse:
    return JsonResponse(Refusal(status, message, code, type).body(), status=status)
