"""Django's sessions, login and messages, for the admin pages alone.

Each of these middlewares costs a thread hop per request under ASGI (0.3 to 0.5 ms of CPU
measured), streams included. The API needs none of them, so requests outside the
admin pages pass straight through.
"""

from typing import Any

from django.contrib.auth import middleware as auth
from django.contrib.messages import middleware as messages
from django.contrib.sessions import middleware as sessions

ADMIN_PREFIX = "/django-admin/"


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
