import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mlxsite.clients.served import KeyRefused, ask

ROW = {"id": "org/model", "owned_by": "mlxsite"}


@pytest.fixture
def answer() -> Iterator[Callable[..., str]]:
    """Call with a status and a body to have a server that answers so; returns its base URL."""
    servers: list[ThreadingHTTPServer] = []

    def start(status: int, body: bytes) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers["authorization"] in ("Bearer right", None)
                self.send_response(status if wanted and self.path == "/v1/models" else 401)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def listing(*rows: object) -> bytes:
    return json.dumps({"object": "list", "data": rows}).encode()


def test_the_rows_are_those_of_the_server(answer: Callable[..., str]) -> None:
    url = answer(200, listing(ROW))

    assert ask(url, None) == ask(url, "right") == [ROW]


def test_a_model_that_could_be_served_is_not_served(answer: Callable[..., str]) -> None:
    assert ask(answer(200, listing(ROW, {"id": "org/other", "object": "model"})), None) == [ROW]


def test_a_key_that_is_refused_is_told(answer: Callable[..., str]) -> None:
    with pytest.raises(KeyRefused):
        ask(answer(200, listing(ROW)), "wrong")


def test_another_program_on_the_port_serves_nothing_of_ours(answer: Callable[..., str]) -> None:
    assert ask(answer(200, listing({"id": "x", "owned_by": "library"})), None) == []


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b"{}", b'{"data": null}', b'{"data": ["x"]}', b"\xff"]
)
def test_a_body_that_lists_no_models_counts_as_no_server(
    answer: Callable[..., str], body: bytes
) -> None:
    assert ask(answer(200, body), None) == []


def test_a_failing_server_counts_as_none(answer: Callable[..., str]) -> None:
    assert ask(answer(503, listing(ROW)), None) == []


def test_nobody_may_listen_there(answer: Callable[..., str]) -> None:
    assert ask("http://127.0.0.1:1/v1", None) == []


def test_a_proxy_of_the_environment_is_not_asked(
    answer: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    assert ask(answer(200, listing(ROW)), None) == [ROW]
