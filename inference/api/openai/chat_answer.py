"""Events to OpenAI's chat completions: the first file on the way out that knows them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from inference.api import sse
from inference.api.openai.blocks import DONE, logprobs_member, usage_block
from inference.api.openai.errors import stream_error_body
from inference.events import (
    Completion,
    Event,
    Failed,
    Finished,
    Idle,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolCalled,
)


@dataclass(slots=True)
class ChatAnswer:
    """Writes one answer, whole or event by event.

    created: unix seconds. num_calls: tool calls streamed so far.
    """

    ID_PREFIX: ClassVar = "chatcmpl-"

    request_id: str
    model: str
    created: int = field(default_factory=lambda: int(time.time()))
    num_calls: int = 0

    def whole(self, completion: Completion) -> dict[str, Any]:
        """Return the body for a caller that does not stream."""
        choice = {
            "index": 0,
            "message": _message(completion),
            **logprobs_member(completion.logprobs),
            "finish_reason": completion.reason.value,
        }
        return self._object("chat.completion", choice, usage=usage_block(completion.usage))

    def feed(self, event: Event) -> Iterator[str]:
        """Yield what to send for one event of a stream, encoded."""
        match event:
            case Started():
                yield self._chunk({"role": "assistant", "content": ""})
            case ReasoningDelta(text):
                yield self._chunk({"reasoning": text})
            case TextDelta(text):
                yield self._chunk({"content": text})
            case ToolCalled():
                yield self._chunk({"tool_calls": [{"index": self.num_calls, **_call(event)}]})
                self.num_calls += 1
            case Idle():
                yield sse.KEEP_ALIVE
            case Finished(reason, usage):
                yield self._chunk({}, reason.value, usage=usage_block(usage))
                yield DONE
            case Failed(error):
                # No [DONE] after it: a broken answer must not look like a finished one.
                yield sse.encode(stream_error_body(error))

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return sse.encode(self._object("chat.completion.chunk", choice, **more))

    def _object(self, kind: str, choice: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "id": self.ID_PREFIX + self.request_id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            **more,
        }


def _message(completion: Completion) -> dict[str, Any]:
    calls = [_call(call) for call in completion.tool_calls]
    message: dict[str, Any] = {"role": "assistant", "content": completion.text}
    if calls and not completion.text:
        message["content"] = None
    if completion.reasoning:
        message["reasoning"] = completion.reasoning
    if calls:
        message["tool_calls"] = calls
    return message


def _call(call: ToolCalled) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": f"call_{call.id}", "type": "function", "function": function}
