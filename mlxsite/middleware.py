"""Django's sessions, login and messages, and headers, for the admin pages alone.

Each of these middlewares costs a thread hop per request under ASGI (0.3 to 0.5 ms of CPU
measured), streams included. The API needs none of them, so requests outside the
admin pages pass straight through.
"""

from typing import Any

from django.contrib.auth import middleware as auth
from django.contrib.messages import middleware as messages
from django.contrib.sessions import middleware as sessions
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

ADMIN_PREFIX = "/django-admin/"
HEADERS = {
    # Nothing from elsewhere, and in nobody's frame; Django's list pages bring a style of theirs.
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": with it, browsers send the origin "null", and the guard refuses writes.
    "Referrer-Policy": "same-origin",
}


class AdminOnly:
    """Mixed in before a Django middleware: applies it below `ADMIN_PREFIX` only."""

    get_response: Any

    def __call__(self, request: Any) -> Any:
        if request.path.startswith(ADMIN_PREFIX):
            return super().__call__(request)  # type: ignore[misc]
        return self.get_response(request)  # a coroutine when the handler below is async


class SessionMiddleware(AdminOnly, sessions.SessionMiddleware):
    pass


class AuthenticationMiddleware(AdminOnly, auth.AuthenticationMiddleware):
    pass


class MessageMiddleware(AdminOnly, messages.MessageMiddleware):
    pass


class HeadersMiddleware(AdminOnly, MiddlewareMixin):
    """What a browser may do with an admin page."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response
