"""Events to OpenAI's text completions: one kind of object, whole and in pieces."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from inference.api import sse
from inference.api.openai.blocks import DONE, logprobs_member, usage_block
from inference.api.openai.errors import stream_error_body
from inference.events import Completion, Event, Failed, Finished, Idle, Started, TextDelta


@dataclass(slots=True)
class TextAnswer:
    """Writes one answer, whole or event by event.

    created: unix seconds.
    """

    ID_PREFIX: ClassVar = "cmpl-"

    request_id: str
    model: str
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, completion: Completion) -> dict[str, Any]:
        """Return the body for a caller that does not stream."""
        choice = {
            "index": 0,
            "text": completion.text,
            **logprobs_member(completion.logprobs),
            "finish_reason": completion.reason.value,
        }
        return self._object(choice, usage=usage_block(completion.usage))

    def feed(self, event: Event) -> Iterator[str]:
        """Yield what to send for one event of a stream, encoded."""
        match event:
            case Started() | Idle():
                # No chunk opens a text completion, and headers travel with the first bytes.
                yield sse.KEEP_ALIVE
            case TextDelta(text):
                yield self._chunk(text)
            case Finished(reason, usage):
                yield self._chunk("", reason.value, usage=usage_block(usage))
                yield DONE
            case Failed(error):
                # No [DONE] after it: a broken answer must not look like a finished one.
                yield sse.encode(stream_error_body(error))

    def _chunk(self, text: str, finish_reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "text": text, "finish_reason": finish_reason}
        return sse.encode(self._object(choice, **more))

    def _object(self, choice: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "id": self.ID_PREFIX + self.request_id,
            "object": "text_completion",
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            **more,
        }
