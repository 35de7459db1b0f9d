"""The four shapes that rows of training data have, told apart by their keys."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Format(StrEnum):
    """What a row is made of.

        messages           `messages`, a conversation; its last turn is the answer
        prompt-completion  `prompt` and `completion`, a question and its answer
        text               `text`, as it stands
        dpo                `chosen` and `rejected`, two answers, mostly beside a `prompt`

    Any may bring `tools`, the functions that the model may call. Where prompts and answers are
    text, they may also be lists of messages.
    """

    MESSAGES = "messages"
    PROMPT_COMPLETION = "prompt-completion"
    TEXT = "text"
    DPO = "dpo"
    UNKNOWN = "unknown"


# The keys of each format. First fit counts: a row of pairs may well have `messages` too.
KEYS: dict[Format, tuple[str, ...]] = {
    Format.DPO: ("chosen", "rejected"),
    Format.MESSAGES: ("messages",),
    Format.PROMPT_COMPLETION: ("prompt", "completion"),
    Format.TEXT: ("text",),
}


def format_of(row: Mapping[str, Any]) -> Format:
    for format, keys in KEYS.items():
        if all(key in row for key in keys):
            return format
    return Format.UNKNOWN
