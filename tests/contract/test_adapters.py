"""What the adapters' routes answer on a model that takes none."""

import json

import pytest

from hub.config import HubConfig
from inference import runtime, scripted_service
from inference.errors import InvalidRequest
from inference.options import ServeOptions
from tests.plugins.openapi import JSON, answers


@pytest.fixture
def call(make_service, monkeypatch, async_client, settings, tmp_path):
    monkeypatch.setattr(runtime, "_service", make_service())
    settings.HUB = HubConfig(tmp_path / "cache" / "models", tmp_path / "hf")

    async def call(method, path, body=None, documented=None):
        raw = "" if body is None else json.dumps(body)
        response = await async_client.generic(method, path, raw, content_type=JSON)
        answer = json.loads(response.content)
        name = documented or path
        answers(name, response.status_code, method=method.lower()).validate(answer)
        return response.status_code, answer

    return call


async def test_nothing_is_mounted_and_nothing_can_be(call):
    assert await call("GET", "/v1/adapters") == (200, {"adapters": []})
    assert await call("GET", "/v1/adapters/available") == (200, {"adapters": []})

    status, refused = await call("POST", "/v1/adapters", {"id": "a", "path": "/tmp"})

    assert status == 400
    assert "takes no adapters" in refused["error"]["message"]
    assert await call("DELETE", "/v1/adapters/a", documented="/v1/adapters/{adapter_id}") == (
        404,
        {"error": {"message": "adapter a not mounted"}},
    )


@pytest.mark.parametrize(
    "body", [{}, {"id": "a"}, {"path": "p"}, {"id": None, "path": "p"}, {"id": "a", "path": 1}]
)
async def test_a_mount_needs_an_id_and_a_path(body, call):
    """Public case jf-04, variants 1 and 2."""
    status, refused = await call("POST", "/v1/adapters", body)

    assert (status, refused["error"]["message"]) == (400, "id and path required")


@pytest.mark.parametrize("raw", ["", "[]", "{", "null", '"x"'])
async def test_a_body_that_is_no_object_is_refused(raw, call, async_client):
    response = await async_client.generic("POST", "/v1/adapters", raw, content_type=JSON)

    assert response.status_code == 400
    assert json.loads(response.content)["error"]["message"] == "invalid JSON body"


async def test_without_an_engine_the_routes_say_so(monkeypatch, call):
    monkeypatch.setattr(runtime, "_service", None)

    for method, path in (("GET", ""), ("GET", "/available"), ("DELETE", "/a"), ("POST", "")):
        documented = "/v1/adapters/{adapter_id}" if method == "DELETE" else None
        body = {"id": "a", "path": "p"} if method == "POST" else None
        status, _ = await call(method, f"/v1/adapters{path}", body, documented)
        assert status == 503


def test_the_scripted_model_does_not_start_with_an_adapter(tmp_path):
    hub = HubConfig(tmp_path / "models", tmp_path / "hf")

    with pytest.raises(InvalidRequest, match="takes no adapters"):
        scripted_service.build(ServeOptions(scripted=True, adapter="x"), hub)
