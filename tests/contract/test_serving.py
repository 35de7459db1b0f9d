"""Serving another model: by a restart, or live."""

import asyncio
import json

import pytest

from inference import runtime
from inference.switching.errors import SwitchRefused
from tests.plugins.openapi import answers
from tests.plugins.scripted_engine import eventually

PATH = "/api/hub/serve"
CHAT = {"messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def call(async_client):
    """Send a request; return status and body, which must be as the OpenAPI document says."""

    async def call(body=None):
        method = "GET" if body is None else "POST"
        raw = b"" if body is None else json.dumps(body).encode()
        response = await async_client.generic(method, PATH, raw, content_type="application/json")
        answer = json.loads(response.content)
        answers(PATH, response.status_code, method=method.lower()).validate(answer)
        return response.status_code, answer

    return call


@pytest.fixture
def server(make_switchable, monkeypatch):
    server = make_switchable("org/old", "org/new")
    monkeypatch.setattr(runtime, "_switcher", server.switcher)
    monkeypatch.setattr(runtime, "get_service", lambda: server.service)
    return server


async def chat(client):
    response = await client.post("/v1/chat/completions", CHAT, content_type="application/json")
    assert response.status_code == 200
    return response.json()["model"], response.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize("extra", [{}, {"live": False}])
async def test_serving_another_model_takes_a_restart(call, extra):
    assert await call({"model": "org/name", **extra}) == (
        200,
        {
            "ok": False,
            "restart_required": True,
            "command": "manage.py runserver_mlx org/name",
        },
    )


async def test_the_command_to_restart_with_is_one_word_for_a_shell(call):
    _, answer = await call({"model": "a; rm -rf b"})

    assert answer["command"] == "manage.py runserver_mlx 'a; rm -rf b'"


@pytest.mark.parametrize("body", [{}, {"model": " "}, {"live": True}, {"model": 7, "live": True}])
async def test_serving_needs_a_model(call, body):
    assert await call(body) == (400, {"ok": False, "error": "model required"})


@pytest.mark.parametrize("live", [1, "yes", None, []])
async def test_live_is_true_or_false(call, live):
    status, answer = await call({"model": "org/new", "live": live})

    assert (status, answer["error"]) == (400, "live must be true or false")


async def test_at_first_there_is_no_switch(call, server):
    assert await call() == (
        200,
        {
            "ok": True,
            "state": "idle",
            "model": "org/old",
            "target": None,
            "progress": None,
            "message": "",
            "error": None,
        },
    )


async def test_a_live_switch_is_begun_watched_and_done(call, server, async_client):
    server.models.held.clear()

    begun = await call({"model": "new", "live": True})
    await asyncio.to_thread(server.models.reached.wait, 5)
    _, under_way = await call()
    before = await chat(async_client)
    server.models.held.set()
    await server.finish()
    _, done = await call()

    assert begun == (202, {"ok": True, "switching": True, "model": "org/new"})
    assert (under_way["state"], under_way["model"]) == ("loading", "org/old")
    assert (under_way["target"], under_way["progress"]) == ("org/new", 0.0)
    assert (done["state"], done["model"], done["progress"]) == ("ready", "org/new", 1.0)
    assert (before, await chat(async_client)) == (("org/old",) * 2, ("org/new",) * 2)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/messages", {**CHAT, "max_tokens": 9}),
        ("/v1/responses", {"input": "hi"}),
        ("/v1/completions", {"prompt": "hi"}),
    ],
)
async def test_a_request_that_waited_names_the_model_that_answers(
    server, call, async_client, path, body
):
    server.models.room = False
    server.models.held.clear()
    await call({"model": "org/new", "live": True})
    await asyncio.to_thread(server.models.reached.wait, 5)
    sent = asyncio.create_task(async_client.post(path, body, content_type="application/json"))
    await eventually(lambda: server.service.door.num_waiting == 1)
    health = await async_client.get("/health")
    server.models.held.set()

    answer = (await sent).json()

    assert health.status_code == 200
    assert answer["model"] == "org/new" and '"text": "org/new"' in json.dumps(answer)


async def test_responses_can_go_on_across_a_switch(server, call, async_client):
    async def respond(**fields):
        sent = await async_client.post("/v1/responses", fields, content_type="application/json")
        assert sent.status_code == 200
        return sent.json()

    first = await respond(input="hi")
    await call({"model": "org/new", "live": True})
    await server.finish()
    second = await respond(input="and then?", previous_response_id=first["id"])

    assert (first["model"], second["model"]) == ("org/old", "org/new")


async def test_lists_and_figures_follow_the_new_model(server, call, async_client):
    await call({"model": "org/new", "live": True})
    await server.finish()

    listed = (await async_client.get("/v1/models")).json()["data"][0]["id"]
    stats = (await async_client.get("/stats")).json()["server"]["model"]
    index = (await async_client.get("/v1")).json()["model"]
    assert (listed, stats, index) == ("org/new",) * 3


async def test_a_failed_switch_tells_why_and_what_is_served(server, call):
    server.models.broken["org/new"] = ValueError("no such tensor")

    await call({"model": "org/new", "live": True})
    await server.finish()
    _, told = await call()

    assert (told["state"], told["model"]) == ("failed", "org/old")
    assert told["error"] == (
        "org/new could not be loaded: ValueError: no such tensor; org/old is still served"
    )


async def test_a_second_switch_is_a_conflict(server, call):
    server.models.held.clear()
    await call({"model": "org/new", "live": True})

    status, answer = await call({"model": "org/old", "live": True})

    assert (status, answer["error"]) == (
        409,
        "a switch to org/new is under way; wait for its end",
    )


async def test_the_model_that_is_served_already_is_not_loaded_again(server, call):
    assert await call({"model": "org/old", "live": True}) == (
        200,
        {"ok": True, "switching": False, "model": "org/old"},
    )


async def test_a_name_that_means_no_model_is_not_found(server, call):
    status, answer = await call({"model": "org/nothing", "live": True})

    assert status == 404
    assert answer["error"] == "no model matches 'org/nothing'; on this machine: org/old, org/new"


async def test_a_name_that_means_several_models_is_told_which(server, call):
    status, answer = await call({"model": "org", "live": True})

    assert status == 400
    assert answer["error"] == "'org' matches 2 models, name one: org/old, org/new"


async def test_what_cannot_be_served_is_refused_before_anything_changes(server, call, monkeypatch):
    def refuse(name):
        raise SwitchRefused("org/new is too large")

    monkeypatch.setattr(server.models, "find", refuse)

    assert await call({"model": "org/new", "live": True}) == (
        400,
        {"ok": False, "error": "org/new is too large"},
    )
    assert (await call())[1]["state"] == "idle"


async def test_a_scripted_server_declines(make_service, monkeypatch, call):
    service = make_service()
    monkeypatch.setattr(runtime, "_service", service)

    status, answer = await call({"model": "org/new", "live": True})

    assert status == 400
    assert "restart it with the model to serve" in answer["error"]
    assert (await call())[1]["model"] == "scripted"
