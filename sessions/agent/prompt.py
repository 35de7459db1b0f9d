"""What the model is given: instructions, and the branch as a conversation."""

import json
from collections.abc import Sequence

from inference.messages import Message as Said
from inference.messages import Role, ToolCall
from sessions.frames.values import TextPart, ThinkingPart, ToolPart
from sessions.store.entries import Entry
from sessions.store.messages import Message, edited_args_of, images_of, parts_of, text_of
from sessions.store.tree import ANSWERING, Tree

# Short on purpose: of each further sentence a model as small as the starter makes too much.
_IDENTITY = (
    "You are a helpful assistant of mlxsite, served by the model {model} on the user's own "
    "computer."
)
_TOOLS = (
    "Call a tool when the answer needs something you do not know or cannot do by yourself, and "
    "only then. Say what you found, not which tool you used."
)
_SUMMARY = "What was said before, in short:\n"
UNSEEN = "[a picture that cannot be shown to you]"
EDITED = "[The user changed the arguments of this call to those that stand in it now.]"
LOST_RESULT = "There is no result: the call was interrupted."


def system_prompt(
    *, model: str, has_tools: bool, hints: Sequence[str], user_prompt: str, ambient: str
) -> str:
    """Put the instructions together, the most general first, where the user is last.

    model: its id, or the folder it was loaded from; what is told of that is its name.
    """
    parts = [_IDENTITY.format(model=model.rsplit("/", 1)[-1])]
    if has_tools:
        parts.append(_TOOLS)
    parts += hints
    if user_prompt.strip():
        parts.append(f"---\n{user_prompt.strip()}")
    if ambient:
        parts.append(ambient)
    return "\n\n".join(parts)


def conversation(system: str, tree: Tree) -> tuple[Said, ...]:
    """Return the messages that the model reads: since the last compaction, after its summary."""
    seam, entries = since_compaction(tree)
    if seam is not None:
        system += f"\n\n{_SUMMARY}{seam.data.get('summary', '')}"
    return (Said(Role.SYSTEM, system), *_said(entries))


def since_compaction(tree: Tree) -> tuple[Entry | None, list[Entry]]:
    """Return the last compaction of the branch, and what it kept and what came after it.

    Where it was cut amid an answer, the question is kept with it. Without a compaction, that is
    None and the whole branch.
    """
    path = tree.path()
    seam = next((entry for entry in reversed(path) if entry.type == "compaction"), None)
    if seam is not None:
        ids = [entry.id for entry in path]
        kept = seam.data.get("firstKeptEntryId")
        first = ids.index(kept) if kept in ids else ids.index(seam.id)
        path = [*_question_of(path, first), *path[first:]]
    # Only now: the first one that was kept may have been deleted since.
    return seam, [e for e in path if e.type != "compaction" and not tree.is_deleted(e)]


def _question_of(path: Sequence[Entry], first: int) -> list[Entry]:
    """Return what was asked, if what begins at `first` is a part of an answer."""
    roles = (entry.role for entry in path[first:] if entry.message is not None)
    if next(roles, None) not in ANSWERING:
        return []
    return [entry for entry in path[:first] if entry.role == "user"][-1:]


def _said(branch: Sequence[Entry]) -> list[Said]:
    results = {
        message.get("toolCallId"): message
        for entry in branch
        if entry.role == "toolResult" and (message := entry.message) is not None
    }
    said: list[Said] = []
    for entry in branch:
        if entry.message is not None and entry.role == "user":
            # Of a session that began with a model that sees; this one goes on without.
            unseen = [UNSEEN] * len(images_of(entry.message))
            said.append(Said(Role.USER, "\n".join([text_of(entry.message), *unseen])))
        elif entry.message is not None and entry.role == "assistant":
            said += _answer(entry.message, results)
    return said


def _answer(message: Message, results: dict[object, Message]) -> list[Said]:
    """One answer of the model, and after it a result for each of its calls."""
    parts = parts_of(message)
    calls = [part for part in parts if isinstance(part, ToolPart)]
    text = "\n\n".join(part.text for part in parts if isinstance(part, TextPart))
    thoughts = "\n".join(part.text for part in parts if isinstance(part, ThinkingPart))
    if not calls and not text:
        return []
    answer = Said(
        Role.ASSISTANT,
        text,
        reasoning=thoughts or None,
        tool_calls=tuple(_call(call, results.get(call.call_id)) for call in calls),
    )
    return [answer, *(_result(call, results.get(call.call_id)) for call in calls)]


def _call(call: ToolPart, result: Message | None) -> ToolCall:
    """A call as it was made in the end."""
    edited = None if result is None else edited_args_of(result)
    return ToolCall(call.call_id, call.tool, call.args if edited is None else edited)


def _result(call: ToolPart, result: Message | None) -> Said:
    text = LOST_RESULT if result is None else text_of(result)
    if result is not None and edited_args_of(result) is not None:
        text = f"{EDITED}\n{text}"
    return Said(Role.TOOL, text, extra={"tool_call_id": call.call_id, "name": call.tool})


def length(entries: Sequence[Entry]) -> int:
    """Return how many characters entries take, as they stand in the file."""
    return sum(len(json.dumps(e.message, ensure_ascii=False)) for e in entries if e.message)
