"""What a run tells while it works, as it goes over the wire."""

from collections.abc import Callable
from typing import Any

STAGES = (
    "ingest",
    "segment",
    "extract",
    "route",
    "create",
    "section-route",
    "patch",
    "link",
    "wikify",
)

Event = dict[str, Any]
Tell = Callable[[Event], None]


def stage(name: str, message: str) -> Event:
    return {"type": "stage", "stage": name, "message": message}


def log(message: str) -> Event:
    return {"type": "log", "message": message}


def done(message: str) -> Event:
    return {"type": "done", "message": f"synthesis done — {message}"}


def summary(note: str) -> Event:
    return {"type": "summary", "implemented": True, "stages": list(STAGES), "note": note}


def error(message: str) -> Event:
    return {"type": "error", "message": message}


def count(number: int, noun: str) -> str:
    """Return a number of things in words, as `1 chunk` and `2 chunks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
