"""A conversation as the engine side knows it: messages made of text, in one spelling.

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


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation.

    text: the content with all text parts joined; empty when the wire said null.
    extra: further fields a chat template may read (`name`, `tool_call_id`), as JSON values.
    """

    role: Role
    text: str
    extra: Mapping[str, Any] = field(default_factory=dict)
