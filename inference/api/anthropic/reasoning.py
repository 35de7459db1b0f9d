"""How the model is to think: Anthropic's switches, of which there are more every year.

What is not known is not refused: agents send the newest switch to every server, and an answer
without it is still an answer.
"""

from collections.abc import Mapping
from typing import Any

from inference.api.json_body import json_object
from inference.errors import InvalidRequest

# Others leave it to the model, or are not known: the server's default decides.
_THINKING = {"enabled": True, "disabled": False}
_EFFORTS = {
    "minimal": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "xhigh",
}


def thinking(body: Mapping[str, Any]) -> bool | None:
    """Return whether the model thinks before it answers; None takes the server's default."""
    return _THINKING.get(_thinking_type(body))


def asks_for_thinking(body: Mapping[str, Any]) -> bool:
    """Tell whether the caller asks for thoughts, or leaves them to the model."""
    return _thinking_type(body) not in ("", "disabled")


def reasoning_effort(body: Mapping[str, Any]) -> str | None:
    """Return how deeply to think, in the words of `ChatPrompt.effort`; None when not said."""
    return _EFFORTS.get(_string(json_object(body, "output_config"), "output_config", "effort"))


def _thinking_type(body: Mapping[str, Any]) -> str:
    return _string(json_object(body, "thinking"), "thinking", "type")


def _string(source: Mapping[str, Any], owner: str, name: str) -> str:
    """Return a field that is text; absent and null give the empty string."""
    value = source.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidRequest(f"{owner}.{name} must be a string", owner)
    return value or ""
