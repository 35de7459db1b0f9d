"""Events to a response: a fold that tells of every item as it grows, and keeps the whole."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from inference.api import sse
from inference.api.responses.call_items import call_events
from inference.api.responses.errors import failure
from inference.api.responses.ids import item_id
from inference.api.responses.output_items import (
    ITEM_DONE,
    ItemStatus,
    Json,
    MessageItem,
    ReasoningItem,
)
from inference.api.responses.response import usage_block
from inference.api.responses.tools import ToolBox
from inference.errors import GenerationFailed, InferenceError
from inference.events import (
    Event,
    Failed,
    Finished,
    FinishReason,
    Idle,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolCalled,
)

# After all other sequence numbers: what ends a broken stream is written before it begins.
_BEYOND = 2**30
_BROKEN = GenerationFailed("the stream broke; see the server's log")


class ResponseAnswer:
    """Writes one response, event by event; the last event holds the whole of it.

    Every event of the protocol that belongs to an answer is told to its caller whether it
    streams or not, so that both read the same items under the same ids.
    """

    def __init__(
        self,
        *,
        request_id: str,
        head: Mapping[str, Any],
        box: ToolBox,
        keep: Callable[[Json], None] = lambda response: None,
    ) -> None:
        """Begin an answer.

        head: from `response_head`. box: the tools that the model may call.
        keep: called with the whole response once it is complete, before anybody hears of it.
        """
        self._request_id = request_id
        self._head = head
        self._box = box
        self._keep = keep
        self._sequence_number = 0
        self._output: list[Json] = []
        self._open: MessageItem | ReasoningItem | None = None
        self._blank = ""  # text before the first that is not white space

    def write(self, event: Event) -> Iterator[str]:
        """Yield what to send for one event of a stream, encoded."""
        for told in self.feed(event):
            yield _encode(told)

    def broken(self) -> str:
        """Return what ends a stream that broke for a reason that no event tells, encoded."""
        return "".join(
            _encode({**told, "sequence_number": _BEYOND + place})
            for place, told in enumerate(self._fail(_BROKEN))
        )

    def feed(self, event: Event) -> Iterator[Json]:
        """Yield the protocol's events for one of ours."""
        for told in self._events(event):
            yield {**told, "sequence_number": self._sequence_number}
            self._sequence_number += 1

    def _events(self, event: Event) -> Iterator[Json]:
        match event:
            case Started():
                yield self._lifecycle("created", "in_progress")
                yield self._lifecycle("in_progress", "in_progress")
            case ReasoningDelta(text):
                yield from self._grow(ReasoningItem, text)
            case TextDelta(text):
                yield from self._say(text)
            case ToolCalled():
                yield from self._call(event)
            case Idle():
                # Not every client takes a comment for a sign of life.
                yield self._lifecycle("in_progress", "in_progress")
            case Finished():
                yield from self._finish(event)
            case Failed(error):
                yield from self._fail(error)

    def _say(self, text: str) -> Iterator[Json]:
        """Add text; white space alone, as models write it between calls, is no message."""
        if not isinstance(self._open, MessageItem) and text.isspace():
            self._blank += text
            return
        blank, self._blank = self._blank, ""
        yield from self._grow(MessageItem, blank + text)

    def _grow(self, kind: type[MessageItem | ReasoningItem], text: str) -> Iterator[Json]:
        if not isinstance(self._open, kind):
            yield from self._close()
            index = len(self._output)
            self._open = kind(item_id(kind.KIND, self._request_id, index), index)
            yield from self._open.begin()
        yield from self._open.add(text)

    def _close(self, status: ItemStatus = ItemStatus.COMPLETED) -> Iterator[Json]:
        if self._open is not None:
            yield from self._recorded(self._open.end(status))
            self._open = None

    def _call(self, call: ToolCalled) -> Iterator[Json]:
        yield from self._close()
        self._blank = ""
        name, index = self._box.name(call.name), len(self._output)
        yield from self._recorded(call_events(call, name, self._request_id, index))

    def _recorded(self, events: Iterable[Json]) -> Iterator[Json]:
        """Pass events on and keep the items that are done."""
        for event in events:
            if event["type"] == ITEM_DONE:
                self._output.append(event["item"])
            yield event

    def _finish(self, finished: Finished) -> Iterator[Json]:
        status, details = "completed", None
        if finished.reason is FinishReason.LENGTH:
            status, details = "incomplete", {"reason": "max_output_tokens"}
        if self._open is None and not self._output:
            # An answer without a word is a message all the same.
            yield from self._grow(MessageItem, self._blank)
        yield from self._close(ItemStatus(status))
        event = self._lifecycle(
            status,
            status,
            completed_at=int(time.time()),
            incomplete_details=details,
            usage=usage_block(finished.usage),
        )
        self._keep(event["response"])
        yield event

    def _fail(self, error: InferenceError) -> Iterator[Json]:
        told = failure(error)
        yield {"type": "error", **told, "param": None}
        yield self._lifecycle("failed", "failed", error=told)

    def _lifecycle(self, kind: str, status: str, **more: Any) -> Json:
        response = {
            **self._head,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "completed_at": None,
            "output": list(self._output),
            "usage": None,
            **more,
        }
        return {"type": f"response.{kind}", "response": response}


def _encode(event: Json) -> str:
    # A response repeats text of its request, where JSON can spell what UTF-8 cannot.
    return sse.encode(event, event["type"]).encode(errors="replace").decode()
