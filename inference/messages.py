"""A conversation as the engine side knows it: messages in one spelling.

The protocol packages turn their own shapes into these; the prompt builder turns these
into what a chat template reads. Standard library only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class MediaKind(StrEnum):
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model made in an earlier turn.

    arguments: by name, as JSON values.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation.

    text: the content with all text parts joined; empty when the wire said null.
    media: kinds of the parts that are not text, in order.
    reasoning: what an assistant thought before the text; None when the wire said nothing.
    tool_calls: what an assistant called.
    extra: further fields a chat template may read (`name`, `tool_call_id`), as JSON values.
    """

    role: Role
    text: str
    media: tuple[MediaKind, ...] = ()
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
