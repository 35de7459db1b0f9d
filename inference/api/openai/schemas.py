"""What OpenAI's chat protocol sends, field by field; unknown fields are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.api import json_body
from inference.errors import InvalidRequest

# The spec allows four stop strings; some clients send a few more, none a thousand.
MAX_STOPS = 16
MAX_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True)
class ChatCompletionBody:
    """A chat completion request, its types and ranges checked."""

    messages: tuple[Mapping[str, Any], ...]
    stream: bool
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    top_k: int | None
    seed: int | None
    stop: tuple[str, ...]
    chat_template_kwargs: Mapping[str, Any]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "ChatCompletionBody":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        # Both are checked, so that the older name is no way around the check.
        older = json_body.integer(body, "max_tokens", at_least=1)
        newer = json_body.integer(body, "max_completion_tokens", at_least=1)
        n = json_body.integer(body, "n", at_least=1)
        if n is not None and n > 1:
            raise InvalidRequest(f"n is {n}, but this server gives 1 answer a request", "n")
        seed = json_body.integer(body, "seed", at_least=-(2**63), at_most=MAX_SEED)
        return cls(
            messages=_messages(body.get("messages")),
            stream=json_body.boolean(body, "stream", default=False),
            max_tokens=older if newer is None else newer,
            temperature=json_body.number(body, "temperature", at_least=0),
            top_p=json_body.number(body, "top_p", at_least=0, at_most=1),
            top_k=json_body.integer(body, "top_k", at_least=0),
            seed=None if seed is None else seed & MAX_SEED,
            stop=_stop(body.get("stop")),
            chat_template_kwargs=_template_options(body.get("chat_template_kwargs")),
        )


def _messages(value: object) -> tuple[Mapping[str, Any], ...]:
    if value is None or value == []:
        raise InvalidRequest("messages required", "messages")
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidRequest("messages must be a list of objects", "messages")
    return tuple(value)


def _stop(value: object) -> tuple[str, ...]:
    stops = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(stops, list) or not all(isinstance(stop, str) for stop in stops):
        raise InvalidRequest("stop must be a string or a list of strings", "stop")
    if len(stops) > MAX_STOPS:
        raise InvalidRequest(
            f"stop has {len(stops)} strings, the limit is {MAX_STOPS}; send fewer", "stop"
        )
    return tuple(stop for stop in stops if stop)


def _template_options(value: object) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidRequest("chat_template_kwargs must be an object", "chat_template_kwargs")
    return value
