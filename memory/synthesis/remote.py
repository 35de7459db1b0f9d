"""Follows a run in the server of this machine, which has the model loaded already."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import httpx2

from memory.synthesis.errors import SynthesisError
from memory.synthesis.events import Event

PATH = "/v1/memory/synthesize"
TIMEOUT = httpx2.Timeout(None, connect=5)


class NoServer(Exception):
    """Nobody answers at that address."""


def follow(server_url: str, key: str | None) -> Iterator[Event]:
    """Yield the events of a run, which ends with this reader. Raises NoServer, SynthesisError."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = f"{server_url}{PATH}"
    try:
        with httpx2.stream("GET", url, headers=headers, timeout=TIMEOUT, trust_env=False) as reply:
            if reply.status_code != httpx2.codes.OK:
                raise SynthesisError(f"the server answered {reply.status_code}")
            for line in reply.iter_lines():
                if (event := _event(line)) is not None:
                    yield event
    except httpx2.ConnectError as error:
        raise NoServer from error
    except httpx2.HTTPError as error:
        raise SynthesisError(f"the server went away ({error}); run this again") from error


def _event(line: str) -> dict[str, Any] | None:
    data = line.removeprefix("data: ")
    with contextlib.suppress(ValueError):
        value = json.loads(data) if data != line else None
        return value if isinstance(value, dict) else None
    return None
