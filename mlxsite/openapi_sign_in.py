"""What the routes of signing in tell of themselves in the OpenAPI document."""

from typing import Any

from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import OPEN, REFUSED_READS, REFUSED_WRITES
from inference.api.openapi.schema import boolean, fields, record, text
from mlxsite.openapi_hub import FAILURE

_DONE = record(members={"ok": boolean(const=True)})
_SET_COOKIE = {"Set-Cookie": {"description": "The session", "schema": {"type": "string"}}}
_SHOW = operation(
    "getSession",
    "Whether a key is needed, and whether this browser is signed in",
    security=OPEN,
    answers={
        200: answer(
            "As it is now",
            record(
                members={
                    "ok": boolean(const=True),
                    "required": boolean("API keys are set"),
                    "signedIn": boolean("The request carries the cookie"),
                }
            ),
        ),
        403: REFUSED_READS[403],
    },
)
_SIGN_IN = operation(
    "signIn",
    "Exchange an API key for a cookie, which takes its place in a browser",
    body=fields(required={"key": text("One of the server's API keys")}),
    security=OPEN,
    answers={
        **REFUSED_WRITES,
        200: answer("Signed in", _DONE, headers=_SET_COOKIE),
        400: answer("No key, or no JSON", FAILURE),
        401: answer("No key of this server", FAILURE),
    },
)
_SIGN_OUT = operation(
    "signOut",
    "Forget the cookie",
    security=OPEN,
    answers={200: answer("Signed out", _DONE, headers=_SET_COOKIE), 403: REFUSED_READS[403]},
)

PATHS: dict[str, dict[str, Any]] = {
    "/api/session": {"get": _SHOW, "post": _SIGN_IN, "delete": _SIGN_OUT}
}
