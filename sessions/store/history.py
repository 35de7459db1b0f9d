"""A branch as the page shows it: questions, answers with their calls, and seams."""

from collections.abc import Sequence
from datetime import datetime

from sessions.frames.values import AssistantItem, CompactionItem, HistoryItem, Part, ToolPart
from sessions.frames.values import UserItem as Question
from sessions.store.entries import Entry
from sessions.store.messages import (
    Message,
    edited_args_of,
    images_of,
    parts_of,
    text_of,
    usage_of,
)
from sessions.store.tree import ANSWERING


def history(branch: Sequence[Entry]) -> list[HistoryItem]:
    """Return the items of a branch. What the model said between two questions is one answer,
    and each result stands with its call."""
    items: list[HistoryItem] = []
    answer: list[Entry] = []
    for entry in branch:
        if entry.role in ANSWERING:
            answer.append(entry)
            continue
        item = _item(entry)
        if item is not None:
            items += [*_answers(answer), item]
            answer = []
    return [*items, *_answers(answer)]


def _item(entry: Entry) -> HistoryItem | None:
    message = entry.message
    if message is not None and entry.role == "user":
        return Question(
            entry_id=entry.id,
            text=text_of(message),
            images=images_of(message),
            timestamp=_milliseconds(entry),
        )
    if entry.type == "compaction":
        return CompactionItem(entry_id=entry.id, summary=str(entry.data.get("summary", "")))
    return None


def _answers(entries: list[Entry]) -> list[HistoryItem]:
    spoken = [(e, e.message) for e in entries if e.role == "assistant" and e.message is not None]
    if not spoken:
        return []
    results = {
        result.get("toolCallId"): result
        for entry in entries
        if entry.role == "toolResult" and (result := entry.message) is not None
    }
    parts = [_with_result(part, results) for _, said in spoken for part in parts_of(said)]
    last, message = spoken[-1]
    lane = message.get("lane")
    return [
        AssistantItem(
            entry_id=last.id,
            parts=parts,
            usage=usage_of(message),
            lane=lane if isinstance(lane, str) else None,
            timestamp=_milliseconds(last),
        )
    ]


def _with_result(part: Part, results: dict[object, Message]) -> Part:
    if not isinstance(part, ToolPart) or part.call_id not in results:
        return part
    result = results[part.call_id]
    return ToolPart(
        call_id=part.call_id,
        tool=part.tool,
        args=part.args if (edited := edited_args_of(result)) is None else edited,
        ok=result.get("isError") is not True,
        result=text_of(result),
    )


def _milliseconds(entry: Entry) -> float | None:
    try:
        return datetime.fromisoformat(str(entry.data.get("timestamp"))).timestamp() * 1000
    except (ValueError, OverflowError):
        return None
