"""How what is wrong with a request for a session is worded: as the hub's routes do it."""

from django.http import HttpRequest, JsonResponse

from hub.api.answers import failure
from sessions.errors import NotRead, NotWritten, OutsideStore, SessionError, SessionNotFound

_STATUS: dict[type[SessionError], int] = {
    OutsideStore: 403,
    SessionNotFound: 404,
    NotRead: 500,
    NotWritten: 507,
}


def session_error(request: HttpRequest, error: SessionError) -> JsonResponse:
    return failure(_STATUS.get(type(error), 400), str(error))
