"""Whatever is sent to the server, it answers as its OpenAPI document says, and stays well."""

import asyncio
import json
import random
import socket
from collections import Counter
from urllib.parse import urlsplit

import httpx
import jsonschema
import pytest

from tests.plugins.fuzz import Requests
from tests.plugins.openapi import BEYOND_A_SCHEMA, CLOSED, EVENTS, JSON, answers, data_of, judge

AT_ONCE = 24
ERROR = judge(CLOSED, CLOSED["components"]["schemas"]["Error"])
# What a 404 says: of a path that nothing answers, and of what one of our own pages asked for.
NOTHING_THERE = [
    judge(CLOSED, CLOSED["components"]["schemas"][name]) for name in ("NotFound", "Failure")
]

pytestmark = pytest.mark.slow


def problem_of(request, response, body):
    """What is wrong with an answer; None if nothing is."""
    status = response.status_code
    if status not in request.statuses:
        return f"{status}: {body[:300]!r}"
    if request.method == "HEAD":
        return f"HEAD has a body: {body[:100]!r}" if body else None
    media_type = response.headers.get("content-type", "").split(";")[0]
    try:
        if media_type == EVENTS:
            event = answers(request.path, status, EVENTS, method=request.method.lower())
            for data in data_of(body.decode()):
                event.validate(data)
        elif media_type == JSON:
            return _problem_of_json(request, status, json.loads(body))
        elif status != 200:
            return f"an error is {media_type}: {body[:100]!r}"
    except (jsonschema.ValidationError, ValueError) as error:
        return str(error)[:500]
    return None


def _problem_of_json(request, status, answer):
    """As `problem_of`; raises ValidationError for an answer that is not as documented."""
    told = CLOSED["paths"].get(request.path, {}).get(request.method.lower(), {"responses": {}})
    if str(status) in told["responses"]:
        answers(request.path, status, method=request.method.lower()).validate(answer)
    elif status == 404 and any(told.is_valid(answer) for told in NOTHING_THERE):
        return None
    elif status != 200:
        ERROR.validate(answer)
    if request.fits and status != 200:
        message = answer["error"]["message"]
        return None if BEYOND_A_SCHEMA.search(message) else f"refused though it fits: {message}"
    return None


class Fuzzer:
    """Sends requests to one server, several at once, and notes what is wrong with the answers."""

    def __init__(self, url, seed):
        self.url = httpx.URL(url)
        self.requests = Requests(random.Random(seed))
        self.problems = []
        self.seen = Counter()

    async def send(self, count):
        limits = httpx.Limits(max_connections=AT_ONCE)
        async with httpx.AsyncClient(timeout=60, limits=limits) as client:
            turns = iter(range(count))
            await asyncio.gather(*(self._work(client, turns) for _ in range(AT_ONCE)))

    async def _work(self, client, turns):
        for _ in turns:
            request = self.requests.draw()
            sent = httpx.Request(
                request.method,
                self.url.copy_with(raw_path=request.url.encode()),
                headers={"host": self.url.netloc.decode(), **request.headers},
                content=request.body,
            )
            response = await client.send(sent, stream=True)
            self.seen[request.kind, response.status_code] += 1
            if not request.leaves:
                self._check(request, response, await response.aread())
            await response.aclose()

    def _check(self, request, response, body):
        problem = problem_of(request, response, body)
        if problem is not None:
            self.problems.append((problem, request))
        elif request.path == "/v1/responses" and response.headers["content-type"] == JSON:
            self.requests.stored += [json.loads(body)["id"]] if response.status_code == 200 else []


async def check_idle_and_well(server):
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        for _ in range(400):
            batch = (await client.get("/stats")).json()["batch"]
            if batch["active_rows"] + batch["pending_rows"] == 0:
                break
            await asyncio.sleep(0.05)
        assert (batch["active_rows"], batch["pending_rows"]) == (0, 0)
        assert (await client.get("/health")).json() == {"status": "ok"}
    assert "Traceback" not in server.log
    assert " ERROR " not in server.log


@pytest.fixture
def server(start_process):
    """A server of its own, which has loaded all that it loads when it is first needed."""
    server = start_process("--scripted", "--batch", "16")
    constrained = {"prompt": "a", "guided_regex": "a", "max_tokens": 1}
    httpx.post(f"{server.url}/v1/completions", json=constrained, timeout=60).raise_for_status()
    return server


async def test_every_request_is_answered_as_documented(server, fuzz_requests):
    fuzzer = Fuzzer(server.url, seed=fuzz_requests)

    await fuzzer.send(fuzz_requests)

    assert fuzzer.problems[:5] == [], len(fuzzer.problems)
    kinds = {kind for kind, _status in fuzzer.seen}
    assert len(kinds) == 11
    assert fuzzer.seen["fitting", 200] > fuzz_requests / 10
    await check_idle_and_well(server)


POST = b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /v1 HTTP/1.1\r\n"
NO_HTTP = {
    "nothing": b"",
    "no request line": b"\r\n\r\n\r\n",
    "no version": b"GET /v1\r\n\r\n",
    "another version": b"GET /v1 HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "no host": GET + b"\r\n",
    "two hosts": GET + b"Host: localhost\r\nHost: evil.example\r\n\r\n",
    "a header without a colon": GET + b"Host: localhost\r\nbad\r\n\r\n",
    "a long header": GET + b"Host: localhost\r\nx: " + b"x" * 10**6 + b"\r\n\r\n",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a length and chunks": POST
    + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bad chunks": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a body cut short": POST + b"Content-Length: 99\r\n\r\n{",
    "an absolute target": b"GET http://evil.example/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


def exchange(url, raw):
    """Send bytes, say that no more will come, and return what comes back before the end."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        try:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            received = b""
            while piece := connection.recv(65536):
                received += piece
        except OSError:  # cut off, which is an answer too
            return b""
    return received


async def test_bytes_that_are_no_http_do_no_harm(server):
    for what, raw in NO_HTTP.items():
        received = exchange(server.url, raw)
        assert not received or received.startswith(b"HTTP/1.1 "), what
        assert not received.startswith(b"HTTP/1.1 5"), (what, received)

    await check_idle_and_well(server)
