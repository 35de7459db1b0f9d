"""The calibration text that comes with the project, by domain."""

import json
from pathlib import Path
from typing import Any

from jobs.quantize.errors import InvalidField

DOMAINS = ("prose", "languages", "code", "chat")
"""English prose, a score of other languages, a dozen formal ones, and conversations."""
MIXED = "mixed"

_FOLDER = Path(__file__).parent / "calibration"


def parse_mix(text: str) -> tuple[str, ...]:
    """Read domains joined by commas; `mixed` is all of them. Raises InvalidField."""
    if text.casefold() == MIXED:
        return DOMAINS
    words = {word.strip().casefold() for word in text.split(",")}
    if unknown := words - set(DOMAINS):
        raise InvalidField(
            f"calibration_mix must be {MIXED}, or some of {', '.join(DOMAINS)} joined by commas, "
            f"not {min(unknown)[:60]!r}"
        )
    return tuple(domain for domain in DOMAINS if domain in words)


def read_text(domain: str) -> str:
    """The text of a domain other than chat."""
    return (_FOLDER / f"{domain}.txt").read_text(encoding="utf-8")


def read_conversations() -> list[list[dict[str, Any]]]:
    """The conversations of the chat domain, as messages with role and content."""
    conversations: list[list[dict[str, Any]]] = json.loads(
        (_FOLDER / "chat.json").read_text(encoding="utf-8")
    )
    return conversations
