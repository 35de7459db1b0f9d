"""Reads streams in tests."""

import json
from typing import Any


def read_events(text: str) -> list[dict[str, Any]]:
    """Parse a stream; each event must have the name that its type says."""
    events = []
    for frame in text.removesuffix("\n\n").split("\n\n"):
        name, data = frame.split("\n")
        events.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {events[-1]['type']}"
    return events
