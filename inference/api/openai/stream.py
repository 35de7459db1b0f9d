"""Events to OpenAI's chat completion objects: the first file on the way out that knows them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from inference.api import sse
from inference.api.openai.errors import error_body
from inference.events import Completion, Event, Failed, Finished, Started, TextDelta, Usage

DONE = "data: [DONE]\n\n"


def usage_block(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "lane": usage.lane.value,
    }


def completion_body(completion: Completion, request_id: str, model: str) -> dict[str, Any]:
    """Build the whole answer, for callers that do not stream."""
    return {
        "id": f"chatcmpl-{request_id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": completion.text},
                "finish_reason": completion.reason.value,
            }
        ],
        "usage": usage_block(completion.usage),
    }


@dataclass(slots=True)
class ChatChunks:
    """Folds the events of one generation into `chat.completion.chunk` events."""

    request_id: str
    model: str
    created: int = field(default_factory=lambda: int(time.time()))

    def feed(self, event: Event) -> Iterator[str]:
        """Yield what to send for one event, encoded."""
        match event:
            case Started():
                yield self._chunk({"role": "assistant", "content": ""})
            case TextDelta(text):
                yield self._chunk({"content": text})
            case Finished(reason, usage):
                yield self._chunk({}, reason.value, usage=usage_block(usage))
                yield DONE
            case Failed(error):
                # No [DONE] after it: a broken answer must not look like a finished one.
                yield sse.encode(error_body(error))

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> str:
        return sse.encode(
            {
                "id": f"chatcmpl-{self.request_id}",
                "object": "chat.completion.chunk",
                "created": self.created,
                "model": self.model,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
                **more,
            }
        )
