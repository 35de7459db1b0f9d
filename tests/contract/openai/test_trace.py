"""The diagnostic record of a completion request, from the header to the line on stderr."""

import asyncio
import json

import httpx
import pytest

from inference import trace as trace_module
from inference.api.openai import tracing
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from tests.plugins.scripted_engine import eventually

CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
BODIES = {CHAT: {"messages": [{"role": "user", "content": "hi"}]}, TEXT: {"prompt": "Once"}}
# A scripted model has no forward pass, no batch and no cache to keep: those are tested elsewhere.
PHASES = {
    "request.body_parse",
    "request.prompt_prepare",
    "completion.total",
    "completion.placement",
    "engine.admission_wait",
    "cache.lookup_restore",
    "prefill.total",
    "prefill.chunk",
    "token_zero.total",
    "response.first_write",
    "response.final_write",
}


@pytest.fixture(autouse=True)
def tracing_is_on(settings):
    settings.P2R_TRACE = True


@pytest.fixture
def served(make_service, serve):
    """Put a service behind the client, made as by `make_service`; return it."""

    def put(*args, **options):
        service = make_service(*args, **options)
        serve(service)
        return service

    return put


@pytest.fixture
def records(capsys):
    """Call for the records written since the last call."""

    def read():
        lines = capsys.readouterr().err.splitlines()
        return [json.loads(line[6:]) for line in lines if line.startswith("[p2r] ")]

    return read


def post(client, path=CHAT, headers=None, **fields):
    body = {**BODIES[path], **fields}
    return client.post(path, body, content_type="application/json", headers=headers or {})


async def read_all(response):
    return b"".join([part async for part in response.streaming_content]).decode()


def phases(record):
    return [event["phase"] for event in record["events"]]


@pytest.mark.parametrize("path", [CHAT, TEXT])
async def test_a_whole_answer_has_one_record_under_its_own_id(path, served, async_client, records):
    served()

    answer = (await post(async_client, path)).json()

    [record] = records()
    assert record["version"] == 1
    assert record["requestId"] == record["traceId"] == answer["id"]
    assert (record["route"], record["clock"]) == (path, "monotonic-ms")
    assert record["outcome"] == "success"
    assert "attributes" not in record
    assert set(phases(record)) == PHASES


@pytest.mark.parametrize("path", [CHAT, TEXT])
async def test_a_stream_has_one_record_when_it_has_ended(path, served, async_client, records):
    served()

    response = await post(async_client, path, stream=True)
    assert records() == []
    chunks = (await read_all(response)).split("\n\n")

    [record] = records()
    sent = next(json.loads(c[6:]) for c in chunks if c.startswith("data: {"))
    assert record["requestId"] == sent["id"]
    assert record["outcome"] == "success"
    assert set(phases(record)) == PHASES


async def test_events_are_sorted_within_the_total_and_marks_take_no_time(
    served, async_client, records
):
    served()

    await read_all(await post(async_client, stream=True))

    [record] = records()
    starts = [event["startMs"] for event in record["events"]]
    assert starts == sorted(starts) and starts[0] >= 0
    for event in record["events"]:
        assert 0 <= event["durationMs"] <= record["totalMs"]
        if event["phase"].startswith("response."):
            assert event["durationMs"] == 0
    assert phases(record)[0] == "request.body_parse"
    assert phases(record)[-1] == "response.final_write"


@pytest.mark.parametrize("header", tracing.HEADERS)
async def test_the_caller_may_name_the_trace(header, served, async_client, records):
    served()

    answer = (await post(async_client, headers={header: "run 7/é"})).json()

    [record] = records()
    assert (record["traceId"], record["requestId"]) == ("run 7/é", answer["id"])


async def test_our_own_header_wins(served, async_client, records):
    served()
    ours, theirs = tracing.HEADERS

    await post(async_client, headers={theirs: "theirs", ours: "ours"})

    assert records()[0]["traceId"] == "ours"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("x" * 5000, "x" * 200),
        ('"},"outcome":"success', '"},"outcome":"success'),
        ("a\tb\x1b[31mc\x85", "ab[31mc"),
        ("\x00é\\", "é\\"),
    ],
)
async def test_a_name_is_cut_and_cannot_break_the_line(sent, kept, served, async_client, records):
    served()

    await post(async_client, headers={tracing.HEADERS[0]: sent})

    [record] = records()
    assert record["traceId"] == kept


@pytest.mark.parametrize("sent", ["", "   ", "\x01\x02"])
async def test_a_name_of_nothing_is_no_name(sent, served, async_client, records):
    served()

    await post(async_client, headers={tracing.HEADERS[0]: sent})

    [record] = records()
    assert record["traceId"] == record["requestId"]


@pytest.mark.parametrize("body", ["{", "[]", '{"messages": "hi"}', '{"temperature": -1}'])
async def test_a_body_that_cannot_be_read_is_an_error_of_that_stage(
    body, served, async_client, records
):
    served()

    response = await async_client.post(CHAT, body, content_type="application/json")

    assert response.status_code == 400
    [record] = records()
    assert (record["outcome"], record["attributes"]) == ("error", {"stage": "body_parse"})
    assert phases(record) == ["request.body_parse"]
    assert record["traceId"] == record["requestId"]
    assert record["requestId"].startswith("chatcmpl-")


async def test_a_prompt_too_long_is_an_error_of_the_preparation(served, async_client, records):
    served(max_context=8)

    assert (await post(async_client, TEXT, prompt="x" * 20)).status_code == 400

    [record] = records()
    assert (record["outcome"], record["attributes"]) == ("error", {"stage": "prepare_completion"})
    assert "request.prompt_prepare" in phases(record)


async def test_a_server_without_a_model_is_an_error_of_the_preparation(
    serve, async_client, records
):
    serve(None)

    assert (await post(async_client)).status_code == 503

    assert records()[0]["attributes"] == {"stage": "prepare_completion"}


def broken_runner():
    def fail(plan):
        if plan.decodes and plan.decodes[0].output:
            raise MemoryError("no memory left")

    return ScriptedRunner(lambda sequence: b"x", on_step=fail)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_failed_generation_is_an_error_of_no_stage(
    stream, served, async_client, records, caplog
):
    served(runner=broken_runner())

    response = await post(async_client, stream=stream)
    if stream:
        await read_all(response)

    [record] = records()
    assert record["outcome"] == "error"
    assert "attributes" not in record
    assert "token_zero.total" in phases(record)


async def test_a_stream_that_breaks_is_an_error(served, async_client, records, monkeypatch, caplog):
    served()
    response = await post(async_client, stream=True)
    monkeypatch.setattr("inference.generation.Generation._advance", None)

    assert "the stream broke" in await read_all(response)

    assert [record["outcome"] for record in records()] == ["error"]


@pytest.fixture
def endless(served):
    return served(runner=ScriptedRunner(lambda sequence: b"x", step_seconds=0.001))


async def until_decoding(service):
    async with asyncio.timeout(10):
        while not service.stats().active:
            await asyncio.sleep(0.001)


async def test_a_client_that_leaves_a_stream_is_an_abort(endless, async_client, records):
    response = await post(async_client, stream=True)
    parts = aiter(response.streaming_content)
    await anext(parts)
    await anext(parts)

    response.close()

    [record] = records()
    assert record["outcome"] == "abort"
    assert "response.first_write" in phases(record)
    await parts.aclose()
    assert records() == []


async def test_a_client_that_leaves_before_the_first_byte_is_an_abort(
    endless, async_client, records
):
    response = await post(async_client, stream=True)

    response.close()

    [record] = records()
    assert record["outcome"] == "abort"
    assert "response.first_write" not in phases(record)


async def test_a_client_that_leaves_a_whole_answer_is_an_abort(endless, async_client, records):
    task = asyncio.create_task(post(async_client))
    await until_decoding(endless)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    [record] = records()
    assert record["outcome"] == "abort"
    assert "attributes" not in record


async def test_without_the_variable_no_trace_is_made(
    settings, served, async_client, records, monkeypatch
):
    def refuse(*args, **kwargs):
        raise AssertionError("a trace was made")

    settings.P2R_TRACE = False
    monkeypatch.setattr(trace_module.Trace, "__init__", refuse)
    served()

    for path in (CHAT, TEXT):
        response = await post(async_client, path, headers={tracing.HEADERS[0]: "mine"})
        assert response.status_code == 200
        await read_all(await post(async_client, path, stream=True))
    assert (await post(async_client, temperature=-1)).status_code == 400
    assert records() == []


async def test_other_routes_have_no_record(served, async_client, records):
    served()

    await async_client.get("/v1/models", headers={tracing.HEADERS[0]: "mine"})

    assert records() == []


async def test_requests_side_by_side_have_a_record_each(served, async_client, records):
    runner = ScriptedRunner(lambda s: [*b"abc", END_OF_TURN], step_seconds=0.001)
    served(runner=runner)

    answers = await asyncio.gather(*(post(async_client) for _ in range(5)))

    ids = {answer.json()["id"] for answer in answers}
    written = records()
    assert {record["requestId"] for record in written} == ids
    assert all(set(phases(record)) == PHASES for record in written)


@pytest.mark.slow
async def test_a_server_told_by_its_environment_writes_records_to_stderr(start_process):
    server = start_process("--scripted", env={"MLXSITE_P2R_TRACE": "1"})

    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        await client.post(CHAT, json=BODIES[CHAT], headers={tracing.HEADERS[0]: "whole"})
        body = {"prompt": "word " * 100, "stream": True}
        named = {tracing.HEADERS[1]: "left early"}
        async with client.stream("POST", TEXT, json=body, headers=named) as response:
            await anext(response.aiter_bytes())
    await eventually(lambda: server.log.count("[p2r] ") == 2)

    lines = [line[6:] for line in server.log.splitlines() if line.startswith("[p2r] ")]
    outcomes = {record["traceId"]: record["outcome"] for record in map(json.loads, lines)}
    assert outcomes == {"whole": "success", "left early": "abort"}
