"""Remembers calls as the model wrote them, for when clients send them back changed.

Clients re-write the calls of earlier turns: they add defaults, reorder, drop spaces. A prompt
with the model's own arguments begins with the tokens that are in the prefix cache.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from inference.events import ToolCalled
from inference.messages import Message, ToolCall
from inference.request import ChatPrompt

MAX_CALLS = 10_000
MAX_BYTES = 32 * 2**20  # of names and arguments

_MISSING = object()


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    arguments: str

    @property
    def nbytes(self) -> int:
        return len(self.name) + len(self.arguments)


class CallMemory:
    """The newest calls by id. Safe to use from several threads."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._nbytes = 0
        self._lock = Lock()

    def remember(self, event: ToolCalled) -> None:
        """Keep a call that the model has made; the oldest make room."""
        call = _Call(event.name, event.arguments)
        with self._lock:
            self._calls[event.id] = call
            self._nbytes += call.nbytes
            while len(self._calls) > MAX_CALLS or self._nbytes > MAX_BYTES:
                _, oldest = self._calls.popitem(last=False)
                self._nbytes -= oldest.nbytes

    def restore(self, prompt: ChatPrompt) -> ChatPrompt:
        """Return the prompt with every call that means the same as the model's own made so."""
        if not any(message.tool_calls for message in prompt.messages):
            return prompt
        defaults = {tool["function"]["name"]: _defaults(tool["function"]) for tool in prompt.tools}
        messages = tuple(self._restore_message(m, defaults) for m in prompt.messages)
        return replace(prompt, messages=messages)

    def _restore_message(
        self, message: Message, defaults: Mapping[str, Mapping[str, Any]]
    ) -> Message:
        if not message.tool_calls:
            return message
        calls = tuple(
            self._restore_call(call, defaults.get(call.name, {})) for call in message.tool_calls
        )
        return replace(message, tool_calls=calls)

    def _restore_call(self, call: ToolCall, defaults: Mapping[str, Any]) -> ToolCall:
        # Before its last underscore stands what a protocol has put there.
        with self._lock:
            own = self._calls.get(call.id.rpartition("_")[2])
        if own is None or own.name != call.name:
            return call
        arguments = json.loads(own.arguments)
        if not _means_the_same(call.arguments, arguments, defaults):
            return call
        return replace(call, arguments=arguments)


def _means_the_same(
    sent: Mapping[str, Any], own: Mapping[str, Any], defaults: Mapping[str, Any]
) -> bool:
    """Tell whether `sent` is `own` but for order and for arguments at their defaults."""
    added = sent.keys() - own.keys()
    return all(_equal(sent.get(name, _MISSING), value) for name, value in own.items()) and all(
        _equal(sent[name], defaults.get(name, _MISSING)) for name in added
    )


def _equal(one: object, other: object) -> bool:
    """Compare JSON values; unlike in Python, true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other


def _defaults(function: Mapping[str, Any]) -> dict[str, Any]:
    parameters = function.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {
        name: schema["default"]
        for name, schema in properties.items()
        if isinstance(schema, dict) and "default" in schema
    }
