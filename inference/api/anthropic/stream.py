"""Events to Anthropic's stream: blocks one after the other, and never two of them open."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inference.api import sse
from inference.api.anthropic.errors import error_event
from inference.api.anthropic.message import (
    SIGNATURE,
    ending,
    message,
    text_block,
    thinking_block,
    tool_use_block,
    usage_block,
)
from inference.events import (
    Event,
    Failed,
    Finished,
    Idle,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolCalled,
)

# By kind: how a block begins, and the type and field of a delta.
_EMPTY = {"text": text_block(""), "thinking": thinking_block("", signature="")}
_DELTAS = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}


@dataclass(slots=True)
class MessageStream:
    """Writes one answer, event by event.

    expects_thinking: whether a block of thoughts may be opened only to show life. A ping is
        enough for the protocol and not for every client: Claude Code, left to itself, gives up
        after five minutes without an event that belongs to a message.
    """

    request_id: str
    model: str
    expects_thinking: bool = False
    _index: int = -1  # of the newest block
    _open: str | None = None  # the kind of that block, unless it is closed

    def feed(self, event: Event) -> Iterator[str]:
        """Yield what to send for one event, encoded."""
        match event:
            case Started(prompt_tokens):
                # How many of them are cached is known only later.
                usage = {"input_tokens": prompt_tokens, "output_tokens": 0}
                begun = {**message(self.request_id, self.model), "usage": usage}
                yield _encode("message_start", message=begun)
            case ReasoningDelta(text):
                yield from self._write("thinking", text)
            case TextDelta(text):
                yield from self._write("text", text)
            case ToolCalled():
                yield from self._call(event)
            case Idle():
                yield from self._show_life()
            case Finished():
                yield from self._finish(event)
            case Failed(error):
                yield error_event(error)

    def _write(self, kind: str, text: str) -> Iterator[str]:
        if self._open != kind:
            yield from self._close()
            yield self._begin(_EMPTY[kind])
            self._open = kind
        delta_type, field = _DELTAS[kind]
        yield self._delta({"type": delta_type, field: text})

    def _call(self, call: ToolCalled) -> Iterator[str]:
        yield from self._close()
        yield self._begin(tool_use_block(call, {}))
        yield self._delta({"type": "input_json_delta", "partial_json": call.arguments})
        yield self._end()

    def _show_life(self) -> Iterator[str]:
        kind = self._open or ("thinking" if self.expects_thinking else None)
        if kind is None:
            yield _encode("ping")
        else:
            yield from self._write(kind, "")

    def _finish(self, finished: Finished) -> Iterator[str]:
        yield from self._close()
        if self._index < 0:
            yield self._begin(_EMPTY["text"])
            yield self._end()
        yield _encode(
            "message_delta",
            delta=ending(finished.reason, finished.stop_string),
            usage=usage_block(finished.usage),
        )
        yield _encode("message_stop")

    def _close(self) -> Iterator[str]:
        if self._open == "thinking":
            yield self._delta({"type": "signature_delta", "signature": SIGNATURE})
        if self._open is not None:
            yield self._end()
            self._open = None

    def _begin(self, block: dict[str, Any]) -> str:
        self._index += 1
        return _encode("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: dict[str, Any]) -> str:
        return _encode("content_block_delta", index=self._index, delta=delta)

    def _end(self) -> str:
        return _encode("content_block_stop", index=self._index)


def _encode(kind: str, **fields: Any) -> str:
    return sse.encode({"type": kind, **fields}, kind)
