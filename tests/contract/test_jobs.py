"""The jobs' routes, as pages use them."""

import asyncio
import json
import re
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import OperationalError

from jobs.follow import Follower
from jobs.kinds import KINDS
from jobs.lines import encode
from jobs.log import LogWriter
from jobs.models import TERMINAL, Job
from tests.plugins.openapi import EVENTS, answers, data_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("jobs_config")]

NOW = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
PATHS = [
    (re.compile(r"^/api/jobs/[^/]+/stream$"), "/api/jobs/{job_id}/stream"),
    (re.compile(r"^/api/jobs/[^/]+/cancel$"), "/api/jobs/{job_id}/cancel"),
    (re.compile(r"^/api/jobs/[^/]+$"), "/api/jobs/{job_id}"),
    (re.compile(r"^/api/jobs$"), "/api/jobs"),
]


def line(kind, **fields):
    return encode({"type": kind, **fields})


async def end_jobs():
    """Note in the rows that jobs are over."""
    await Job.objects.aupdate(status="done", ended_at=NOW)


def documented(path):
    bare = path.partition("?")[0]
    return next(name for pattern, name in PATHS if pattern.match(bare))


@pytest.fixture
def call(async_client):
    """Send a request; return status and body, which must be as the OpenAPI document says."""

    async def call(method, path):
        response = await async_client.generic(method, path)
        body = json.loads(response.content)
        answers(documented(path), response.status_code, method=method.lower()).validate(body)
        return response.status_code, body

    return call


@pytest.fixture
def follow(async_client):
    """Read a stream to its end; return its text and its events."""

    async def follow(path):
        response = await async_client.get(path)
        text = b"".join([part async for part in response.streaming_content]).decode()
        events = data_of(text)
        for event in events:
            answers(documented(path), 200, EVENTS, method="get").validate(event)
        assert response["Content-Type"] == "text/event-stream; charset=utf-8"
        return text, events

    return follow


@pytest.fixture
def make_job(tmp_path):
    """Make a row, with a log of the given text."""

    async def make(id, *, log="", kind="finetune", **fields):
        path = tmp_path / f"{id}.ndjson"
        path.write_text(log)
        if fields.get("status") in TERMINAL:
            fields["ended_at"] = NOW
        return await Job.objects.acreate(id=id, kind=kind, log_path=str(path), **fields)

    return make


async def test_at_first_there_are_no_jobs(call):
    assert await call("GET", "/api/jobs") == (200, {"ok": True, "jobs": []})


async def test_jobs_are_listed_newest_first(call, make_job):
    for id in ("job_1", "job_3", "job_2"):
        await make_job(id)

    status, body = await call("GET", "/api/jobs?limit=2")

    assert (status, [job["id"] for job in body["jobs"]]) == (200, ["job_2", "job_3"])


async def test_jobs_are_listed_by_kind(call, make_job):
    await make_job("job_1", kind="quantize")
    await make_job("job_2")

    _, body = await call("GET", "/api/jobs?kind=quantize")

    assert [job["id"] for job in body["jobs"]] == ["job_1"]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("limit=0", "limit is '0'; it may be a whole number from 1 to 500"),
        ("limit=501", "limit is '501'; it may be a whole number from 1 to 500"),
        ("limit=ten", "limit is 'ten'; it may be a whole number from 1 to 500"),
        ("limit=-1", "limit is '-1'; it may be a whole number from 1 to 500"),
        ("kind=dance", f"kind is 'dance'; it may be {', '.join(KINDS)}"),
    ],
)
async def test_a_query_that_means_nothing_is_refused(call, query, error):
    assert await call("GET", f"/api/jobs?{query}") == (400, {"ok": False, "error": error})


async def test_a_job_is_shown_with_its_times_in_iso_form(call, make_job):
    job = await make_job(
        "job_1",
        config_json='{"a": 1}',
        status="done",
        progress=1.0,
        message="Saved",
        output_path="/out",
        started_at=NOW,
    )

    status, body = await call("GET", "/api/jobs/job_1")

    assert status == 200
    assert body["ok"] is True
    assert body["job"].pop("created_at").endswith("Z")
    assert body["job"] == {
        "id": "job_1",
        "kind": "finetune",
        "status": "done",
        "config_json": '{"a": 1}',
        "progress": 1.0,
        "message": "Saved",
        "log_path": job.log_path,
        "output_path": "/out",
        "error": None,
        "started_at": "2026-01-31T12:00:00.250Z",
        "ended_at": "2026-01-31T12:00:00.250Z",
    }


@pytest.mark.parametrize("job_id", ["job_0", "%00", "a%20b", "ü"])
@pytest.mark.parametrize(("method", "rest"), [("GET", ""), ("POST", "/cancel")])
async def test_a_job_that_is_not_there_is_not_found(call, method, rest, job_id):
    answer = await call(method, f"/api/jobs/{job_id}{rest}")

    assert answer == (404, {"ok": False, "error": "job not found"})


async def test_the_stream_of_an_unknown_job_fails_and_ends(follow):
    """Public case jf-01."""
    text, events = await follow("/api/jobs/unknown/stream")

    assert text.startswith("retry: 1500\n\ndata: ")
    assert text.endswith("event: end\ndata: {}\n\n")
    (failed, end) = events
    assert (failed["type"], failed["error"], end) == ("failed", "job not found", {})


async def test_the_stream_of_a_job_that_is_over_has_all_its_events(follow, make_job):
    log = f"{line('started', ts=1)}{line('log', line='ünïcode')}{line('failed', error='x', ts=2)}"
    await make_job("job_1", status="failed", error="x", log=log)

    text, events = await follow("/api/jobs/job_1/stream")

    assert [event.get("type") for event in events] == ["started", "log", "failed", None]
    assert "ünïcode" in text


async def test_a_torn_line_is_left_out_of_the_stream(follow, make_job):
    """Public case jf-01."""
    log = line("started", ts=1) + '{"type":"log","li' + "\n[1]\n" + line("log", line="a") + '{"ty'
    await make_job("job_1", status="zombie", error="the server ended", log=log)

    _, events = await follow("/api/jobs/job_1/stream")

    assert [event.get("type") for event in events] == ["started", "log", "failed", None]
    assert events[2] == {"type": "failed", "error": "the server ended", "ts": 1769860800250}


async def test_half_a_character_ends_no_stream(follow, make_job):
    log = line("started", ts=1) + '{"type":"log","line":"a\\ud83d"}\n' + line("log", line="b")
    await make_job("job_1", status="failed", error="x", log=log)

    _, events = await follow("/api/jobs/job_1/stream")

    assert [event.get("line") for event in events] == [None, "a\ufffd", "b", None, None]


async def test_a_job_whose_log_is_gone_still_tells_how_it_ended(follow, make_job):
    job = await make_job("job_1", status="done", summary_json='{"n": 1}', output_path="/out")
    Path(job.log_path).unlink()

    _, events = await follow("/api/jobs/job_1/stream")

    done = {"type": "done", "ts": 1769860800250, "output_dir": "/out", "summary": {"n": 1}}
    assert events == [done, {}]


async def test_a_stream_goes_on_until_the_job_is_over(follow, make_job):
    job = await make_job("job_1", status="running", log=line("started", ts=1))
    reading = asyncio.create_task(follow("/api/jobs/job_1/stream"))
    await asyncio.sleep(0.3)

    with Path(job.log_path).open("a") as log:
        log.write(line("log", line="a")[:9])
        log.flush()
        await asyncio.sleep(0.3)
        log.write(line("log", line="a")[9:] + line("log", line="b"))
    was_done = reading.done()
    await end_jobs()
    _, events = await asyncio.wait_for(reading, 5)

    assert not was_done
    assert [event.get("line") for event in events if event.get("type") == "log"] == ["a", "b"]
    assert [event.get("type") for event in events[-2:]] == ["done", None]


async def test_any_number_of_readers_shares_two_threads(follow, make_job):
    job = await make_job("job_1", status="running", log=line("started", ts=1))
    readers = [asyncio.create_task(follow("/api/jobs/job_1/stream")) for _ in range(20)]
    await asyncio.sleep(0.5)

    threads = [t for t in threading.enumerate() if t.name.startswith("job-log")]
    LogWriter(Path(job.log_path)).append({"type": "log", "line": "x"})
    await end_jobs()
    texts = {text for text, _ in await asyncio.gather(*readers)}

    assert 1 <= len(threads) <= 2
    assert len(texts) == 1
    assert [event.get("type") for event in data_of(texts.pop())] == ["started", "log", "done", None]


async def test_a_reader_that_leaves_leaves_nothing_behind(async_client, make_job):
    await make_job("job_1", status="running", log=line("started", ts=1))
    response = await async_client.get("/api/jobs/job_1/stream")
    before = asyncio.all_tasks()

    async def read():
        async for _ in response.streaming_content:
            pass

    reading = asyncio.create_task(read())
    await asyncio.sleep(0.3)
    reading.cancel()
    await asyncio.wait([reading], timeout=0.1)

    assert reading.cancelled()
    assert asyncio.all_tasks() == before


async def test_a_stream_survives_a_connection_that_has_gone_stale(follow, make_job, monkeypatch):
    await make_job("job_1", status="done")
    look, failures = Follower.look, [OperationalError("server closed the connection")]

    def fail_once(follower):
        if failures:
            raise failures.pop()
        return look(follower)

    monkeypatch.setattr(Follower, "look", fail_once)

    _, events = await follow("/api/jobs/job_1/stream")

    assert [event.get("type") for event in events] == ["done", None]


async def test_a_silent_stream_gives_signs_of_life(async_client, make_job, monkeypatch):
    monkeypatch.setattr("jobs.api.stream.KEEP_ALIVE_SECONDS", 0.0)
    await make_job("job_1", status="running")

    response = await async_client.get("/api/jobs/job_1/stream")
    parts = aiter(response.streaming_content)
    first = [await anext(parts) for _ in range(2)]
    await parts.aclose()

    assert first == [b"retry: 1500\n\n", b": keep-alive\n\n"]


async def test_head_tells_what_kind_of_answer_a_stream_is(async_client, make_job):
    await make_job("job_1", status="running")

    response = await async_client.head("/api/jobs/job_1/stream")

    assert (response.status_code, response.content) == (200, b"")
    assert response["Content-Type"].startswith("text/event-stream")


async def test_a_queued_job_is_cancelled_at_once(call, make_job):
    job = await make_job("job_1")

    status, body = await call("POST", "/api/jobs/job_1/cancel")

    assert (status, body["job"]["status"], body["job"]["error"]) == (200, "failed", "cancelled")
    assert body["job"]["ended_at"] is not None
    assert json.loads(Path(job.log_path).read_text())["type"] == "failed"


async def test_a_running_job_is_asked_to_end(call, make_job):
    await make_job("job_1", status="running")

    status, body = await call("POST", "/api/jobs/job_1/cancel")

    assert (status, body["job"]["status"]) == (200, "running")
    assert (await Job.objects.aget()).cancel_requested


@pytest.mark.parametrize("status", TERMINAL)
async def test_cancelling_a_job_that_is_over_changes_nothing(call, make_job, status):
    await make_job("job_1", status=status, error="why")

    for _ in range(2):
        answer = await call("POST", "/api/jobs/job_1/cancel")
        assert (answer[0], answer[1]["job"]["status"], answer[1]["job"]["error"]) == (
            200,
            status,
            "why",
        )
