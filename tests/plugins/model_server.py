"""A server with a model that answers what a test says, for what asks `/v1/chat/completions`."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = str | dict[str, Any] | tuple[int, dict[str, Any]]
"""A text; or an assistant's message; or a status and a body."""


class ModelServer:
    """url: without a slash at the end. requests: the bodies that came, in order.

    reply: makes the answer to a body. headers: of each request. Requests are answered on threads.
    """

    def __init__(self) -> None:
        self.reply: Callable[[dict[str, Any]], Reply] = said
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.model = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def said(body: dict[str, Any]) -> str:
    """The last message of a request."""
    return str(body["messages"][-1]["content"])


def told(body: dict[str, Any]) -> str:
    """The system message of a request; empty if there is none."""
    return "".join(each["content"] for each in body["messages"] if each["role"] == "system")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        model: ModelServer = self.server.model  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model.requests.append(body)
        model.headers.append({name.lower(): value for name, value in self.headers.items()})
        status, answer = _answer(model.reply(body))
        data = json.dumps(answer).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            self.close_connection = True


def _answer(reply: Reply) -> tuple[int, dict[str, Any]]:
    if isinstance(reply, tuple):
        return reply
    message = {"content": reply} if isinstance(reply, str) else reply
    reason = message.pop("finish_reason", "stop") if isinstance(reply, dict) else "stop"
    choice = {"message": {"role": "assistant", **message}, "finish_reason": reason}
    return 200, {"choices": [choice]}
