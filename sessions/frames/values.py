"""What frames are made of: pictures, sampling, what the page shows, and a chat's items."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from sessions.frames.base import SnakeWire, Wire


class Image(Wire):
    """A picture in a prompt. data: base64, without the head of a data URL."""

    data: str
    mime_type: str


class SamplingFields(SnakeWire):
    """How to draw tokens; None leaves a field to the server's default."""

    temperature: Annotated[float, Field(ge=0, le=5)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    min_p: Annotated[float, Field(ge=0, le=1)] | None = None
    xtc_probability: Annotated[float, Field(ge=0, le=1)] | None = None
    xtc_threshold: Annotated[float, Field(ge=0, le=0.5)] | None = None
    repetition_penalty: Annotated[float, Field(gt=0, le=10)] | None = None
    repetition_context_size: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    presence_penalty: Annotated[float, Field(ge=-100, le=100)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-100, le=100)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None


class Step(Wire):
    """Where a wizard stands. index: from 0."""

    index: int
    count: int
    label: str


class Element(Wire):
    """Something visible that can be pointed at."""

    ref: str
    tag: str
    label: str
    kind: Literal["interactive", "region"]
    role: str | None = None
    selector: str
    spotlight_id: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_tag(cls, given: Any) -> Any:
        # Pages of others send what the document of the interface lists, and it lists no tag.
        return {"tag": "", **given} if isinstance(given, dict) else given


class Snapshot(Wire):
    """What the page shows. captured_at: ISO 8601."""

    route: str
    captured_at: str
    elements: Annotated[list[Element], Field(max_length=200)]


class AppContext(Wire):
    """Where the user is, as the page last told."""

    route: str
    view: Literal["memory-panel", "hub-panel", "adapters-panel"] | None = None
    step: Step | None = None
    snapshot: Snapshot


class GenDefaults(SnakeWire):
    """Sampling where nothing is chosen; None where the server's own fallback counts."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None


class Usage(SnakeWire):
    """What a turn took, in tokens; cached_tokens of the prompt were not computed again."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int


class TextPart(Wire):
    type: Literal["text"] = "text"
    text: str


class ThinkingPart(Wire):
    type: Literal["thinking"] = "thinking"
    text: str


class ToolPart(Wire):
    """A call, and its result as far as there is one."""

    type: Literal["tool"] = "tool"
    call_id: str
    tool: str
    args: dict[str, Any]
    ok: bool | None = None
    result: str | None = None


Part = Annotated[TextPart | ThinkingPart | ToolPart, Field(discriminator="type")]


class UserItem(Wire):
    """What the user said. timestamp: Unix time in milliseconds."""

    role: Literal["user"] = "user"
    entry_id: str
    text: str
    images: tuple[Image, ...] = ()
    timestamp: float | None = None


class AssistantItem(Wire):
    """One answer with the calls it made on the way. entry_id: of its last message."""

    role: Literal["assistant"] = "assistant"
    entry_id: str
    parts: list[Part]
    usage: Usage | None = None
    lane: str | None = None
    timestamp: float | None = None


class CompactionItem(Wire):
    """Where earlier messages were put in short, so that the chat fits the model's window."""

    role: Literal["compaction"] = "compaction"
    entry_id: str
    summary: str


HistoryItem = Annotated[UserItem | AssistantItem | CompactionItem, Field(discriminator="role")]


class SessionItem(Wire):
    """A chat in the list. modified: Unix time in milliseconds."""

    path: str
    id: str
    title: str
    modified: float
    message_count: int
    forked: bool
    pinned: bool = False


class TokenScore(SnakeWire):
    """A token of an answer and how sure the model was: the natural logarithm of its probability."""

    text: str
    logprob: float
