"""Answers given before Django: a JSON error, or a WebSocket that is not accepted.

Every part in front of Django refuses in the same form, the one OpenAI's clients read.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY_VIOLATION = 1008  # WebSocket close codes, RFC 6455
SERVICE_RESTART = 1012


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request gets no further.

    status: of the HTTP answer; a WebSocket is refused with `close_code` instead.
    headers: further headers of the HTTP answer, lower-case names.
    """

    status: int
    message: str
    code: str | None = None
    type: str = "invalid_request_error"
    headers: tuple[tuple[bytes, bytes], ...] = ()
    close_code: int = POLICY_VIOLATION

    def body(self) -> dict[str, Any]:
        return {
            "error": {
                "message": self.message,
                "type": self.type,
                "param": None,
                "code": self.code,
            }
        }


async def refuse(refusal: Refusal, scope: Scope, send: Send) -> None:
    """Answer the connection of `scope` with `refusal` and finish it."""
    if scope["type"] == "websocket":
        # Closing before accepting makes the server answer the handshake with 403.
        await send({"type": "websocket.close", "code": refusal.close_code})
        return
    body = json.dumps(refusal.body()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *refusal.headers,
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if _is_head(scope) else body})


def _is_head(scope: Scope) -> bool:
    return bool(scope.get("method") == "HEAD")
