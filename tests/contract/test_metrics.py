"""GET /metrics, as a Prometheus server scrapes it."""

import re
from pathlib import Path

import pytest
from asgiref.testing import ApplicationCommunicator
from prometheus_client.parser import text_string_to_metric_families

from inference import runtime
from inference.durability import Durability
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from mlxsite.asgi import build_application
from mlxsite.guard import GuardPolicy
from mlxsite.server.lifecycle import Lifecycle
from tests.plugins.scripted_engine import eventually
from tests.plugins.scripted_tier import ScriptedTier

API_PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
TOKENS = [*b"Hello" * 20, END_OF_TURN]  # long enough to be left early
CHAT = {"messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def service(make_service, monkeypatch):
    service = make_service(
        runner=ScriptedRunner(lambda sequence: TOKENS, step_seconds=0.001),
        durability=Durability(ScriptedTier()),
    )
    monkeypatch.setattr(runtime, "_service", service)
    return service


@pytest.fixture
def scrape(service, async_client):
    """Read the metric families by name."""

    async def scrape():
        response = await async_client.get("/metrics")
        assert response.status_code == 200
        families = text_string_to_metric_families(response.content.decode())
        return {family.name: family for family in families}

    return scrape


def counters(families):
    """Every sample that may only grow, by name and labels."""
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families.values()
        if family.type in ("counter", "histogram")
        for sample in family.samples
    }


async def chat(client, **fields):
    response = await client.post(
        "/v1/chat/completions", {**CHAT, **fields}, content_type="application/json"
    )
    assert response.status_code == 200


async def test_the_answer_is_prometheus_text(service, async_client):
    response = await async_client.get("/metrics")

    assert response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "# TYPE mlxsite_step_seconds histogram\n" in response.content.decode()


async def test_every_metric_has_help_a_type_and_a_sample(scrape):
    families = await scrape()

    assert len(families) > 15
    for family in families.values():
        assert family.documentation and family.type != "unknown" and family.samples, family.name


async def test_a_request_raises_the_counters_and_none_falls(service, scrape, async_client):
    before = counters(await scrape())

    await chat(async_client)
    await chat(async_client, max_tokens=2)
    await eventually(lambda: sum(service.stats().ended.values()) == 2)

    after = counters(await scrape())
    assert after.keys() == before.keys()
    assert all(after[sample] >= before[sample] for sample in before)
    grown = {sample: after[sample] - before[sample] for sample in before}
    assert grown["mlxsite_requests_submitted_total",] == 2
    assert grown["mlxsite_requests_total", ("outcome", "stop")] == 1
    assert grown["mlxsite_requests_total", ("outcome", "length")] == 1
    assert grown["mlxsite_generated_tokens_total",] == len(TOKENS) + 2
    assert grown["mlxsite_prompt_tokens_total",] > 0
    assert grown["mlxsite_step_seconds_count",] > 0


async def test_an_answer_cut_at_a_stop_string_has_stopped(service, scrape, async_client):
    await chat(async_client, stop="ll")
    await eventually(lambda: bool(service.stats().ended))

    ended = counters(await scrape())
    assert ended["mlxsite_requests_total", ("outcome", "stop")] == 1
    assert ended["mlxsite_requests_total", ("outcome", "abort")] == 0


async def test_a_caller_who_leaves_has_aborted(service, scrape, async_client):
    response = await async_client.post(
        "/v1/chat/completions", {**CHAT, "stream": True}, content_type="application/json"
    )
    response.close()
    await eventually(lambda: bool(service.stats().ended))

    assert counters(await scrape())["mlxsite_requests_total", ("outcome", "abort")] == 1


async def test_writing_is_refused(service, async_client):
    assert (await async_client.post("/metrics")).status_code == 405


async def test_without_a_service_there_is_nothing_to_tell(monkeypatch, async_client):
    monkeypatch.setattr(runtime, "_service", None)

    assert (await async_client.get("/metrics")).status_code == 503


async def test_a_caller_without_a_key_is_refused(service):
    policy = GuardPolicy(allowed_hosts=("localhost",), api_keys=("secret",))
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/metrics",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    application = build_application(policy=policy, lifecycle=Lifecycle(timeout=0))
    connection = ApplicationCommunicator(application, scope)

    await connection.send_input({"type": "http.request"})

    assert (await connection.receive_output(5))["status"] == 401
    await connection.receive_output(5)


async def test_every_metric_is_documented_and_every_documented_one_exists(scrape):
    page = API_PAGE.read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(mlxsite_\w+)", page, re.MULTILINE))

    names = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in (await scrape()).values()
    }

    assert names == documented
