"""Daphne as we run it, in a process of its own: Twisted's reactor starts only once."""

import http.client
import os
import select
import signal
import socket
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.slow

# An application that streams slowly at /<steps>, and at /flood as fast as the client reads;
# it says at its end how it ended.
PROGRAM = """
import asyncio, sys
from mlxsite.server import daphne_server
from mlxsite.server.lifecycle import Drainable, Lifecycle

async def inner(scope, receive, send):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        try:
            for part in range(500 if scope["path"] == "/flood" else 0):
                await send({"type": "websocket.send", "text": "x" * 65536})
                print("part", part, flush=True)
            while (await receive())["type"] != "websocket.disconnect":
                print("heard", flush=True)
        finally:
            print("cleaned", flush=True)
    async def answer():
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            if scope["path"] == "/flood":
                for part in range(500):
                    body = b"x" * 65536
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                    print("part", part, flush=True)
                scope["path"] = "/"
            for step in range(int(scope["path"].strip("/") or 0)):
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
                await asyncio.sleep(0.1)
            await send({"type": "http.response.body", "body": b"end"})
        finally:
            print("cleaned", flush=True)
    await asyncio.create_task(answer())   # as Django: work in an inner task

lifecycle = Lifecycle(timeout=float(sys.argv[3]), on_drain=lambda n: print("drain", n, flush=True))
try:
    daphne_server.serve(
        Drainable(inner, lifecycle), host=sys.argv[1], port=int(sys.argv[2]),
        lifecycle=lifecycle, on_ready=lambda: print("ready", flush=True),
    )
except daphne_server.ListenError as error:
    sys.exit(str(error))
print("served", flush=True)
"""


def free_port(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


class Running:
    def __init__(self, root, *, host="127.0.0.1", timeout=20.0, port=None):
        self.host, self.port = host, port or free_port(host)
        self.opened = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, host, str(self.port), str(timeout)],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ready(self):
        assert self.process.stdout.readline() == "ready\n", self.process.stderr.read()
        return self

    def connect(self):
        self.opened.append(http.client.HTTPConnection(self.host, self.port, timeout=20))
        return self.opened[-1]

    def get(self, path, connection=None):
        connection = connection or self.connect()
        connection.request("GET", path)
        self.opened.append(connection.getresponse())
        return self.opened[-1]

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        line = self.process.stdout.readline()
        while line and not line.startswith("drain"):
            line = self.process.stdout.readline()

    def end(self):
        """Exit status and the rest of what it said."""
        status = self.process.wait(30)
        # Not `communicate`: it reads the pipe itself, past lines that `readline` has buffered.
        return status, self.process.stdout.read(), self.process.stderr.read()


@pytest.fixture
def start(request):
    started = []

    def run(**options):
        started.append(Running(request.config.rootpath, **options))
        return started[-1]

    yield run
    for running in started:
        for opened in running.opened:
            opened.close()
        if running.process.poll() is None:
            running.process.kill()
        running.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_idle_server_stops_at_once(start, number):
    server = start().ready()
    assert server.get("/").read() == b"end"

    server.signal(number)

    status, out, err = server.end()
    assert (status, err) == (0, "")
    assert out.endswith("served\n")


def test_a_running_answer_is_finished_while_new_ones_are_refused(start):
    server = start().ready()
    kept = server.connect()
    server.get("/", kept).read()
    response = server.get("/15")
    response.read(1)

    server.signal()

    late = server.get("/", kept)
    assert late.status == 503
    assert b"shutting down" in late.read()
    with pytest.raises(OSError):
        socket.create_connection((server.host, server.port), 5)
    assert response.read() == b"x" * 14 + b"end"
    assert server.end()[0] == 0


def test_an_answer_that_takes_too_long_is_cut_and_cleaned_up(start):
    server = start(timeout=0.3).ready()
    server.get("/1000").read(1)

    server.signal()

    status, out, _ = server.end()
    assert status == 0
    assert "cleaned" in out


def test_a_second_signal_does_not_wait(start):
    server = start(timeout=1000).ready()
    server.get("/1000").read(1)
    server.signal(signal.SIGINT)
    began = time.monotonic()

    server.process.send_signal(signal.SIGINT)

    status, out, _ = server.end()
    assert status == 0
    assert "cleaned" in out
    assert time.monotonic() - began < 10


def open_socket(server, path):
    """Ask for a WebSocket and read nothing of it."""
    client = socket.create_connection((server.host, server.port), 20)
    server.opened.append(client)
    client.sendall(
        b"GET %s HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" % path
    )
    return client


def test_an_open_socket_does_not_hold_up_a_shutdown(start):
    server = start().ready()
    client = open_socket(server, b"/ws")
    assert b" 101 " in client.recv(4096)

    server.signal()

    assert server.end()[0] == 0
    client.close()


FLOOD = 500 * 65536


def flood(server):
    """Ask for 32 MB and read nothing of it."""
    client = socket.create_connection((server.host, server.port), 20)
    server.opened.append(client)
    client.sendall(b"GET /flood HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    return client


def parts_until_quiet(server):
    """Read what the application says it sent, until it says nothing for a moment."""
    said, descriptor = b"", server.process.stdout.fileno()
    while select.select([descriptor], [], [], 0.5)[0]:
        said += os.read(descriptor, 65536)
    return said.count(b"part")


def test_a_client_that_does_not_read_stops_the_application_and_nobody_else(start):
    server = start().ready()
    client = flood(server)

    sent = parts_until_quiet(server)

    assert 0 < sent < 250  # the kernel's buffers hold some megabytes
    assert server.get("/").read() == b"end"
    received = bytearray()
    while data := client.recv(1 << 20):
        received += data
    assert received.count(b"x") == FLOOD
    assert received.endswith(b"end\r\n0\r\n\r\n")
    client.close()


def test_a_socket_that_is_not_read_stops_its_application_and_nobody_else(start):
    server = start().ready()
    client = open_socket(server, b"/flood")

    sent = parts_until_quiet(server)

    assert 0 < sent < 250
    assert server.get("/").read() == b"end"
    received = 0
    while received < FLOOD:
        data = client.recv(1 << 20)
        assert data, "the socket was closed"
        received += data.count(b"x")
    client.sendall(b"\x81\x82\0\0\0\0hi")  # a text of two letters, with a mask of zeros
    assert "heard\n" in iter(server.process.stdout.readline, "")
    client.close()


@pytest.mark.parametrize("frame", [b"", b"\x88\x80\0\0\0\0"], ids=["cut", "closed"])
def test_a_socket_that_is_left_without_being_read_lets_its_application_go(start, frame):
    server = start().ready()
    client = open_socket(server, b"/flood")
    parts_until_quiet(server)

    client.sendall(frame)
    client.close()

    assert "cleaned\n" in iter(server.process.stdout.readline, "")
    server.signal()
    # Daphne ends by itself, ten seconds later, what does not end with its client, and says so.
    assert "too long" not in server.end()[2]


def test_a_client_that_leaves_without_reading_lets_the_application_go(start):
    server = start().ready()
    client = flood(server)
    parts_until_quiet(server)

    client.close()

    assert "cleaned\n" in iter(server.process.stdout.readline, "")


def test_a_shutdown_does_not_wait_for_a_client_that_does_not_read(start):
    server = start(timeout=0.3).ready()
    client = flood(server)
    parts_until_quiet(server)

    server.signal()

    status, out, err = server.end()
    assert status == 0
    assert "cleaned" in out
    assert "Traceback" not in err
    client.close()


def test_a_taken_port_is_an_error_that_names_it(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        status, _, err = start(port=port).end()

    assert status == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in err


def test_an_ipv6_address_is_served(start):
    try:
        server = start(host="::1").ready()
    except OSError:
        pytest.skip("this machine has no IPv6")

    assert server.get("/").status == 200


def test_a_burst_of_clients_is_accepted_without_waiting(start):
    """With Twisted's own backlog of 50 some of them would wait a second."""
    server = start().ready()
    server.process.send_signal(signal.SIGSTOP)  # nobody accepts: the backlog alone holds them
    try:
        clients = [socket.create_connection((server.host, server.port), 0.9) for _ in range(200)]
    finally:
        server.process.send_signal(signal.SIGCONT)
    for client in clients:
        client.close()


def test_an_answer_to_head_has_no_body_in_however_many_parts_it_comes(start):
    """What is left on the connection would be read as the beginning of the next answer."""
    running = start().ready()
    connection = running.connect()

    connection.request("HEAD", "/3")
    head = connection.getresponse()
    assert (head.status, head.read()) == (200, b"")

    assert running.get("/0", connection).read() == b"end"
