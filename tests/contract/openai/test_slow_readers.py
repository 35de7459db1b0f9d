"""A client that asks for much and reads nothing harms neither the memory nor the others."""

import json
import resource
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

PATH = "/v1/chat/completions"
TOKENS = 30_000
WORDS = 200  # of each token
SIZE = TOKENS * len("flood ") * WORDS  # bytes of text, 36 MB
MARGIN = 20 * 2**20  # bytes
BOUND = 30  # seconds; the engine writes all of it in a few

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc"),
]


@pytest.fixture
def connection(moody_server):
    address = urlsplit(moody_server.url)
    with closing(HTTPConnection(address.hostname, address.port, timeout=BOUND)) as connection:
        yield connection


def flood(connection, **fields):
    """Have a long answer begun on a connection, of which nothing is read."""
    body = {"messages": [{"role": "user", "content": "flood"}], "stream": True, **fields}
    connection.request("POST", PATH, json.dumps(body), {"Content-Type": "application/json"})
    return connection.getresponse()


def resident_bytes(server):
    pages = Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def active_rows(http):
    return http.get("/stats").json()["batch"]["active_rows"]


def wait_until(condition):
    deadline = time.monotonic() + BOUND
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def test_what_waits_for_a_client_that_does_not_read_stays_small(moody, moody_server, connection):
    before = resident_bytes(moody_server)
    response = flood(connection, max_tokens=TOKENS)
    wait_until(lambda: active_rows(moody) == 1)

    wait_until(lambda: active_rows(moody) == 0)

    assert resident_bytes(moody_server) - before < MARGIN < SIZE
    answer = moody.post("/v1/completions", json={"prompt": "hi"})
    assert answer.json()["choices"][0]["text"] == "ok"
    received = response.read()
    assert received.count(b"flood ") == TOKENS * WORDS
    assert received.endswith(b"data: [DONE]\n\n")


def test_a_client_that_leaves_without_reading_frees_its_row(moody, connection):
    """Of an answer that would take minutes."""
    response = flood(connection)
    wait_until(lambda: active_rows(moody) == 1)
    time.sleep(0.3)  # until the connection is full
    assert active_rows(moody) == 1

    response.close()
    connection.close()

    wait_until(lambda: active_rows(moody) == 0)
