"""Signing in on the web app: what is told, what the cookie allows, and what ends it."""

import pytest

from mlxsite.sign_in import COOKIE, token_of


@pytest.fixture
def keyed(settings):
    settings.API_KEYS = ("first", "sécond")


async def sign_in(client, key):
    return await client.post("/api/session", {"key": key}, content_type="application/json")


async def test_without_keys_nothing_is_asked_and_no_cookie_given(async_client, settings):
    settings.API_KEYS = ()

    shown = await async_client.get("/api/session")
    signed = await sign_in(async_client, "anything")

    assert shown.json() == {"ok": True, "required": False, "signedIn": False}
    assert signed.status_code == 200
    assert COOKIE not in signed.cookies


@pytest.mark.usefixtures("keyed")
async def test_a_key_is_exchanged_for_a_cookie_that_scripts_and_other_sites_do_not_get(
    async_client,
):
    signed = await sign_in(async_client, "sécond")

    cookie = signed.cookies[COOKIE]
    assert signed.json() == {"ok": True}
    assert cookie.value == token_of("sécond")
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
    shown = await async_client.get("/api/session")
    assert shown.json() == {"ok": True, "required": True, "signedIn": True}


@pytest.mark.usefixtures("keyed")
async def test_a_wrong_key_gives_no_cookie(async_client):
    signed = await sign_in(async_client, "firs")

    assert signed.status_code == 401
    assert signed.json() == {"ok": False, "error": "This is no key of this server."}
    assert COOKIE not in signed.cookies


@pytest.mark.usefixtures("keyed")
async def test_a_key_taken_away_ends_its_sessions(async_client, settings):
    await sign_in(async_client, "first")
    settings.API_KEYS = ("sécond",)

    assert (await async_client.get("/api/session")).json()["signedIn"] is False


@pytest.mark.usefixtures("keyed")
async def test_signing_out_forgets_the_cookie(async_client):
    await sign_in(async_client, "first")

    gone = await async_client.delete("/api/session")

    assert gone.cookies[COOKIE].value == ""
    assert (await async_client.get("/api/session")).json()["signedIn"] is False


@pytest.mark.parametrize("body", [{}, {"key": ""}, {"key": 7}])
async def test_a_body_without_a_key_is_told(async_client, body):
    answer = await async_client.post("/api/session", body, content_type="application/json")

    assert (answer.status_code, answer.json()["error"]) == (400, "key required")
