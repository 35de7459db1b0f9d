"""Puts the older part of a conversation in short, before the model's window is full."""

from collections.abc import Sequence

from inference import runtime
from inference.events import collect
from inference.messages import Message, Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from sessions.agent.current_session import CurrentSession
from sessions.agent.model_turn import new_request_id
from sessions.agent.prompt import length, since
from sessions.store.entries import Entry
from sessions.store.messages import text_of

FULL = 0.8  # of the window, from which older messages are put in short
_KEPT = 0.3  # of the window, for what stays as it was
_SUMMARY_TOKENS = 600
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
    branch = session.tree.branch()
    seam = next((e for e in reversed(branch) if e.type == "compaction"), None)
    live = since(branch, seam) if seam else [e for e in branch if e.message is not None]
    per_character = tokens / max(1, length(live))
    kept = _newest(live, int(window * _KEPT / per_character))
    old = live[: len(live) - len(kept)]
    if not old or not kept:
        return False
    earlier = str(seam.data.get("summary", "")) if seam else ""
    room = int((window * FULL - _SUMMARY_TOKENS) / per_character)
    await session.append(
        "compaction",
        summary=await _summarize(earlier, old, room),
        firstKeptEntryId=kept[0].id,
        tokensBefore=tokens,
    )
    return True


def _newest(entries: Sequence[Entry], characters: int) -> list[Entry]:
    """Return the last entries that fit, from a question of the user on; at least the last one."""
    kept: list[Entry] = []
    begin = None
    for entry in reversed(entries):
        if begin is not None and length([entry, *kept]) > characters:
            break
        kept.insert(0, entry)
        if entry.role == "user":
            begin = len(kept)
    return kept[len(kept) - begin :] if begin else []


async def _summarize(earlier: str, old: Sequence[Entry], room: int) -> str:
    """room: characters of the conversation that the model can read at once."""
    lines = [f"Before that: {earlier}"] if earlier else []
    for entry in old:
        if entry.message is not None and (text := text_of(entry.message).strip()):
            lines.append(f"{entry.role}: {text}")
    # What cannot be read in one go loses its middle, not its beginning or end.
    text = "\n\n".join(lines)
    if len(text) > room:
        text = f"{text[: max(0, room // 2)]}\n\n[…]\n\n{text[len(text) - max(0, room // 2) :]}"
    prompt = ChatPrompt(
        (Message(Role.SYSTEM, _INSTRUCTION), Message(Role.USER, text)), thinking=False
    )
    request = GenerationRequest(
        id=new_request_id(),
        prompt=prompt,
        sampling=SamplingChoice(temperature=0.0),
        max_tokens=_SUMMARY_TOKENS,
    )
    async with await runtime.get_service().generate(request) as generation:
        return (await collect(generation)).text.strip()
