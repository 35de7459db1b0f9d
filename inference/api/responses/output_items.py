"""The items of an answer, each with the events that tell of it while it grows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

Json = dict[str, Any]
ITEM_DONE = "response.output_item.done"


class ItemStatus(StrEnum):
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    INCOMPLETE = "incomplete"  # cut at the token limit


@dataclass(slots=True)
class MessageItem:
    """What the answer says. index: its place in the output."""

    KIND: ClassVar = "msg"

    id: str
    index: int
    _pieces: list[str] = field(default_factory=list)

    def begin(self) -> Iterator[Json]:
        yield added(self.index, self._item(ItemStatus.IN_PROGRESS, []))
        yield self._event("content_part.added", part=_text_part(""))

    def add(self, text: str) -> Iterator[Json]:
        self._pieces.append(text)
        yield self._event("output_text.delta", delta=text, logprobs=[])

    def end(self, status: ItemStatus) -> Iterator[Json]:
        part = _text_part("".join(self._pieces))
        yield self._event("output_text.done", text=part["text"], logprobs=[])
        yield self._event("content_part.done", part=part)
        yield done(self.index, self._item(status, [part]))

    def _item(self, status: ItemStatus, content: list[Json]) -> Json:
        head = {"id": self.id, "type": "message", "status": status}
        return {**head, "role": "assistant", "content": content}

    def _event(self, kind: str, **more: Any) -> Json:
        place = {"item_id": self.id, "output_index": self.index, "content_index": 0}
        return {"type": f"response.{kind}", **place, **more}


@dataclass(slots=True)
class ReasoningItem:
    """What the model thinks, in full; the protocol has a place for it among summaries."""

    KIND: ClassVar = "rs"

    id: str
    index: int
    _pieces: list[str] = field(default_factory=list)

    def begin(self) -> Iterator[Json]:
        yield added(self.index, self._item(ItemStatus.IN_PROGRESS, []))
        yield self._event("reasoning_summary_part.added", part=_summary_part(""))

    def add(self, text: str) -> Iterator[Json]:
        self._pieces.append(text)
        yield self._event("reasoning_summary_text.delta", delta=text)

    def end(self, status: ItemStatus) -> Iterator[Json]:
        part = _summary_part("".join(self._pieces))
        yield self._event("reasoning_summary_text.done", text=part["text"])
        yield self._event("reasoning_summary_part.done", part=part)
        yield done(self.index, self._item(status, [part]))

    def _item(self, status: ItemStatus, summary: list[Json]) -> Json:
        head = {"id": self.id, "type": "reasoning", "status": status}
        return {**head, "summary": summary, "encrypted_content": None}

    def _event(self, kind: str, **more: Any) -> Json:
        place = {"item_id": self.id, "output_index": self.index, "summary_index": 0}
        return {"type": f"response.{kind}", **place, **more}


def added(index: int, item: Json) -> Json:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: Json) -> Json:
    return {"type": ITEM_DONE, "output_index": index, "item": item}


def _text_part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _summary_part(text: str) -> Json:
    return {"type": "summary_text", "text": text}
