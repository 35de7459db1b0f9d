"""Frames that the server sends."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from pydantic_core import PydanticSerializationError, to_json

from sessions.frames.base import SnakeWire, Wire
from sessions.frames.values import GenDefaults, HistoryItem, SessionItem, TokenScore, Usage
from sessions.surrogates import replace_halves_in


class Ready(Wire):
    """First of all frames: the model that answers, and what it can do."""

    type: Literal["ready"] = "ready"
    model: str
    vision: bool
    audio: bool
    thinking: bool
    gen_defaults: GenDefaults


class TurnStart(Wire):
    type: Literal["turn_start"] = "turn_start"


class TextDelta(Wire):
    type: Literal["text_delta"] = "text_delta"
    delta: str


class ThinkingDelta(Wire):
    type: Literal["thinking_delta"] = "thinking_delta"
    delta: str


class ToolStart(Wire):
    type: Literal["tool_start"] = "tool_start"
    call_id: str
    tool: str
    args: dict[str, Any]


class ToolApprovalRequest(Wire):
    """The call waits for the user's word, for two minutes."""

    type: Literal["tool_approval_request"] = "tool_approval_request"
    call_id: str
    tool: str
    args: dict[str, Any]


class ToolUpdate(Wire):
    """More of what a running tool printed."""

    type: Literal["tool_update"] = "tool_update"
    call_id: str
    chunk: str


class ToolEnd(Wire):
    type: Literal["tool_end"] = "tool_end"
    call_id: str
    ok: bool
    result: str


class Logprobs(Wire):
    """How sure the model was of each token of the answer just given."""

    type: Literal["logprobs"] = "logprobs"
    tokens: list[TokenScore]


class TurnEnd(Wire):
    """lane: the one the answer was generated on; entry_id: the answer's, to delete it by.

    Both are absent where there was no answer.
    """

    type: Literal["turn_end"] = "turn_end"
    lane: str | None = None
    usage: Usage | None = None
    entry_id: str | None = None


class QueueUpdate(Wire):
    """Messages that wait for the answer under way to end."""

    type: Literal["queue_update"] = "queue_update"
    steering: list[str]
    follow_up: list[str]


class History(Wire):
    type: Literal["history"] = "history"
    items: list[HistoryItem]


class Sessions(Wire):
    """active_path: the chat that this connection has open; None for one not yet on disk."""

    type: Literal["sessions"] = "sessions"
    items: list[SessionItem]
    active_path: str | None = None


class Siblings(Wire):
    """The branches that begin where the last message of the user does. index: from 0."""

    type: Literal["siblings"] = "siblings"
    entry_id: str | None = None
    index: int
    count: int
    sibling_ids: list[str]


class ContextUsage(Wire):
    """How full the model's window is; None just after a compaction, before it is known."""

    type: Literal["context"] = "context"
    tokens: int | None
    context_window: int
    percent: float | None


class CodingTools(Wire):
    """active: in this session; pending: what the next one will have."""

    type: Literal["coding_tools"] = "coding_tools"
    active: bool
    pending: bool


class ToolApprovals(Wire):
    """Tools that run without being asked about."""

    type: Literal["tool_approvals"] = "tool_approvals"
    always_allow: list[str]


class UiNavigate(Wire):
    type: Literal["ui_navigate"] = "ui_navigate"
    route: str


class UiSpotlight(Wire):
    """Point at something: the first of these that the page finds."""

    type: Literal["ui_spotlight"] = "ui_spotlight"
    ref: str | None = None
    label: str | None = None
    selector: str | None = None
    target: str | None = None
    message: str | None = None
    route: str | None = None


class Error(SnakeWire):
    type: Literal["error"] = "error"
    message: str


ServerFrame = (
    Ready
    | TurnStart
    | TextDelta
    | ThinkingDelta
    | ToolStart
    | ToolApprovalRequest
    | ToolUpdate
    | ToolEnd
    | Logprobs
    | TurnEnd
    | QueueUpdate
    | History
    | Sessions
    | Siblings
    | ContextUsage
    | CodingTools
    | ToolApprovals
    | UiNavigate
    | UiSpotlight
    | Error
)
SERVER: TypeAdapter[ServerFrame] = TypeAdapter(Annotated[ServerFrame, Field(discriminator="type")])

# Members that mean nothing when they are None are left out; these say something by it.
_NULLS = (ContextUsage,)


def write_frame(frame: ServerFrame) -> str:
    without_none = not isinstance(frame, _NULLS)
    try:
        return frame.model_dump_json(by_alias=True, exclude_none=without_none)
    except PydanticSerializationError:  # a text in it has no UTF-8
        values = frame.model_dump(by_alias=True, exclude_none=without_none)
        return to_json(replace_halves_in(values), inf_nan_mode="null").decode()
