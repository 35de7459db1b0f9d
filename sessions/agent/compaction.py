"""Puts the older part of a conversation in short, before the model's window is full."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from inference import runtime
from inference.events import collect
from inference.messages import Message as Said
from inference.messages import Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from sessions.agent.current_session import CurrentSession
from sessions.agent.model_turn import new_request_id
from sessions.agent.prompt import length, since_compaction
from sessions.frames.values import ToolPart
from sessions.store.entries import Entry
from sessions.store.messages import Message, parts_of, text_of

FULL = 0.8  # of the window, from which older messages are put in short
_KEPT = 0.3  # of the window, for what stays as it was
_SUMMARY_TOKENS = 600
_LONGEST_CALL = 300  # characters of its arguments that the summary is made from
_INSTRUCTION = (
    "Put the following conversation in short for someone who has to carry it on: what the user "
    "wants, what was decided and found out, names and numbers, and what is still open. "
    "Write at most twenty sentences, and nothing else."
)


async def compact(session: CurrentSession, *, tokens: int, window: int) -> bool:
    """Write a summary of what is too old to keep; False if there is nothing to put in short.

    tokens: what the whole prompt takes now. window: what fits. Raises InferenceError when the
    model fails, and NotWritten.
    """
    seam, entries = since_compaction(session.tree)
    live = [entry for entry in entries if entry.message is not None]
    per_character = tokens / max(1, length(live))
    cut = _cut(live, int(window * _KEPT / per_character))
    if not cut.old or not cut.kept:
        return False
    earlier = str(seam.data.get("summary", "")) if seam else ""
    room = int((window * FULL - _SUMMARY_TOKENS) / per_character)
    await session.append(
        "compaction",
        summary=await _summarize(earlier, cut.old, room, private=session.temporary),
        firstKeptEntryId=cut.kept[0].id,
        tokensBefore=tokens,
    )
    return True


@dataclass(frozen=True, slots=True)
class _Cut:
    """old: what is put in short; kept: what stays as it is, beside the question it answers."""

    old: Sequence[Entry]
    kept: Sequence[Entry]


def _cut(live: Sequence[Entry], characters: int) -> _Cut:
    """Keep as many of the last exchanges as fit; of one that is too long by itself, the last
    turns of the model."""
    kept = _newest(live, characters, "user")
    old = live[: len(live) - len(kept)]
    if kept and length(kept) > characters:
        question, answer = kept[0], kept[1:]
        turns = _newest(answer, characters - length([question]), "assistant")
        if turns:
            return _Cut([*old, *answer[: len(answer) - len(turns)]], turns)
    return _Cut(old, kept)


def _newest(entries: Sequence[Entry], characters: int, role: str) -> list[Entry]:
    """Return the last entries that fit, from one of a role on; at least the last such."""
    kept: list[Entry] = []
    begin = None
    for entry in reversed(entries):
        if begin is not None and length([entry, *kept]) > characters:
            break
        kept.insert(0, entry)
        if entry.role == role:
            begin = len(kept)
    return kept[len(kept) - begin :] if begin else []


async def _summarize(earlier: str, old: Sequence[Entry], room: int, *, private: bool) -> str:
    """room: characters of the conversation that the model can read at once."""
    lines = [f"Before that: {earlier}"] if earlier else []
    for entry in old:
        if entry.message is not None and (text := _text(entry.message)):
            lines.append(f"{entry.role}: {text}")
    # What cannot be read in one go loses its middle, not its beginning or end.
    text = "\n\n".join(lines)
    if len(text) > room:
        text = f"{text[: max(0, room // 2)]}\n\n[…]\n\n{text[len(text) - max(0, room // 2) :]}"
    prompt = ChatPrompt((Said(Role.SYSTEM, _INSTRUCTION), Said(Role.USER, text)), thinking=False)
    request = GenerationRequest(
        id=new_request_id(),
        prompt=prompt,
        sampling=SamplingChoice(temperature=0.0),
        max_tokens=_SUMMARY_TOKENS,
        private=private,
    )
    async with await runtime.get_service().generate(request) as generation:
        return (await collect(generation)).text.strip()


def _text(message: Message) -> str:
    """What was said, and what was called."""
    calls = [part for part in parts_of(message) if isinstance(part, ToolPart)]
    called = [f"[called {c.tool} with {json.dumps(c.args)[:_LONGEST_CALL]}]" for c in calls]
    return "\n".join([text_of(message).strip(), *called]).strip()
