"""The Hugging Face token and the tools that are allowed for good, over HTTP."""

import json
import logging

import pytest

from hub.token import Tokens
from tests.plugins.openapi import answers

JSON = "application/json"
TOKEN = "/api/settings/hf-token"
APPROVALS = "/api/settings/tool-approvals"

pytestmark = pytest.mark.usefixtures("hub_settings")


@pytest.fixture
def call(async_client):
    async def call(method, path, body=None):
        raw = b"" if body is None else json.dumps(body).encode()
        response = await async_client.generic(method, path, raw, content_type=JSON)
        answer = json.loads(response.content)
        answers(path, response.status_code, method=method.lower()).validate(answer)
        return response.status_code, answer

    return call


async def test_a_token_is_saved_and_only_its_presence_is_told(call, settings, caplog):
    caplog.set_level(logging.DEBUG)
    assert await call("GET", TOKEN) == (200, {"ok": True, "hasToken": False})

    assert await call("POST", TOKEN, {"token": " hf_secret "}) == (200, {"ok": True})

    assert await call("GET", TOKEN) == (200, {"ok": True, "hasToken": True})
    assert json.loads(settings.HF_TOKENS.saved.read_text()) == {"token": "hf_secret"}
    assert settings.HF_TOKENS.saved.stat().st_mode & 0o777 == 0o600
    assert "hf_secret" not in caplog.text


async def test_a_token_from_elsewhere_says_where_it_is_from(call, settings):
    known: Tokens = settings.HF_TOKENS
    known.cli_file.parent.mkdir(parents=True)
    known.cli_file.write_text("hf_cli")
    assert (await call("GET", TOKEN))[1] == {
        "ok": True,
        "hasToken": True,
        "source": "hf auth login",
    }

    settings.HF_TOKENS = Tokens(known.saved, known.cli_file, environment="hf_environment")
    assert (await call("GET", TOKEN))[1] == {"ok": True, "hasToken": True, "source": "environment"}


@pytest.mark.parametrize("body", [None, {}, {"token": ""}, {"token": "  "}, {"token": 7}])
async def test_saving_needs_a_token(body, call):
    assert await call("POST", TOKEN, body) == (400, {"ok": False, "error": "token required"})


@pytest.mark.parametrize("token", ["two words", "line\nfeed", "hf_ü", "x" * 1001])
async def test_what_cannot_be_a_token_is_refused_and_not_repeated(token, call, settings):
    status, answer = await call("POST", TOKEN, {"token": token})

    assert status == 400
    assert answer == {"ok": False, "error": "a token is one word of letters, digits and signs"}
    assert not settings.HF_TOKENS.saved.exists()


async def test_a_folder_that_takes_no_files_is_told_without_its_path(call, settings):
    settings.HF_TOKENS.saved.parent.write_text("a file where a folder should be")

    status, answer = await call("POST", TOKEN, {"token": "hf_t"})

    assert (status, answer) == (
        500,
        {"ok": False, "error": "hf.json cannot be saved (File exists)"},
    )


async def test_approvals_are_listed_and_forgotten(call, settings):
    for tool in ("edit", "bash"):
        settings.TOOL_APPROVALS.allow(tool)

    assert await call("GET", APPROVALS) == (200, {"ok": True, "alwaysAllow": ["bash", "edit"]})
    for _ in range(2):
        forgotten = await call("DELETE", APPROVALS, {"tool": "bash"})
        assert forgotten == (200, {"ok": True, "alwaysAllow": ["edit"]})


async def test_at_first_no_tool_is_allowed(call):
    assert await call("GET", APPROVALS) == (200, {"ok": True, "alwaysAllow": []})


@pytest.mark.parametrize("body", [None, {}, {"tool": ""}, {"tool": ["bash"]}])
async def test_forgetting_needs_a_tool(body, call):
    assert await call("DELETE", APPROVALS, body) == (400, {"ok": False, "error": "tool required"})


async def test_nothing_can_be_allowed_by_a_bare_request(async_client, settings):
    response = await async_client.post(APPROVALS, {"tool": "bash"}, content_type=JSON)

    assert response.status_code == 405
    assert settings.TOOL_APPROVALS.allowed() == []
