"""Signing in on the web app, where API keys are set: the key once, then a cookie.

A page can send no header with a WebSocket, and a script that kept the key could lose it. So the key
is exchanged for a token that is made of it and of this server's secret: it opens this server alone,
tells nothing of the key, and ends with either. Scripts cannot read the cookie, and pages of other
sites cannot have it sent.
"""

import hmac
from http.cookies import CookieError, SimpleCookie

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils.crypto import salted_hmac
from ninja import Router

from hub.api.answers import failure, success
from hub.api.body import read_text

COOKIE = "mlxsite_session"
SECONDS = 30 * 24 * 3600

router = Router(tags=["Settings"])


def token_of(key: str) -> str:
    """What a browser holds in the place of an API key."""
    return salted_hmac("mlxsite.sign_in", key, algorithm="sha256").hexdigest()


def has_token(cookies: str, keys: tuple[str, ...]) -> bool:
    """Whether a Cookie header, as sent, holds the token of one of `keys`."""
    try:
        sent = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        return False
    value = sent.value if sent else ""
    # Every pair is compared, each in constant time: timing tells nothing about a token.
    matches = [hmac.compare_digest(value.encode(), token_of(key).encode()) for key in keys]
    return any(matches)


@router.api_operation(["GET", "HEAD"], "/api/session")
async def show(request: HttpRequest) -> JsonResponse:
    """Whether this server wants a key, and whether this browser is signed in."""
    keys: tuple[str, ...] = settings.API_KEYS
    cookies = request.headers.get("cookie", "")
    return success(required=bool(keys), signedIn=has_token(cookies, keys))


@router.post("/api/session")
async def sign_in(request: HttpRequest) -> JsonResponse:
    key = read_text(request, "key")
    keys: tuple[str, ...] = settings.API_KEYS
    matches = [hmac.compare_digest(key.encode(), known.encode()) for known in keys]
    if keys and not any(matches):
        return failure(401, "This is no key of this server.")
    response = success()
    if keys:
        response.set_cookie(
            COOKIE,
            token_of(key),
            max_age=SECONDS,
            secure=request.is_secure(),
            httponly=True,
            samesite="Strict",
        )
    return response


@router.delete("/api/session")
async def sign_out(request: HttpRequest) -> JsonResponse:
    response = success()
    response.delete_cookie(COOKIE, samesite="Strict")
    return response
