"""The page about connecting: what is served, and examples that fit this host."""

import pytest

from frontend import served, views
from inference.errors import EngineNotRunning


class Service:
    def describe(self):
        return [("Model", "owner/<name>"), ("Context", "4,096 tokens")]


@pytest.fixture
def running(monkeypatch):
    monkeypatch.setattr(served.runtime, "get_service", Service)


@pytest.fixture
def starting(monkeypatch):
    def get_service():
        raise EngineNotRunning("no model is loaded")

    monkeypatch.setattr(served.runtime, "get_service", get_service)


async def page(client):
    response = await client.get("/connect")
    assert response.status_code == 200
    return response.content.decode()


async def test_the_page_names_the_model_and_its_facts(running, async_client):
    html = await page(async_client)

    assert "&lt;name&gt;</h1>" in html
    assert "4,096 tokens" in html
    assert "Serving" in html


async def test_examples_use_the_host_the_reader_came_by(running, async_rf):
    request = async_rf.get("/connect")
    request.META["HTTP_HOST"] = "localhost:9000"

    html = (await views.connect(request)).content.decode()

    assert "curl http://localhost:9000/v1/chat/completions" in html
    assert 'base_url="http://localhost:9000/v1"' in html


async def test_before_the_model_is_there_the_page_says_so(starting, async_client):
    html = await page(async_client)

    assert "Starting" in html
    assert "The model is loading" in html


async def test_examples_send_a_key_only_where_one_is_asked_for(running, async_client, settings):
    assert "Authorization" not in await page(async_client)

    settings.API_KEYS = ("secret",)
    html = await page(async_client)

    assert "Authorization: Bearer $MLXSITE_API_KEY" in html
    assert "secret" not in html


async def test_the_page_may_load_nothing_from_elsewhere(running, async_client):
    response = await async_client.get("/connect")

    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "http://" not in response.content.decode().replace("http://testserver/v1", "")
    assert "https://" not in response.content.decode()


async def test_the_page_is_only_read(running, async_client):
    assert (await async_client.post("/connect")).status_code == 405
