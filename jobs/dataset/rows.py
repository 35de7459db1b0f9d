"""Rows of training data, put together. What trainers make of them: `jobs.finetune.data.formats`."""

from enum import StrEnum
from typing import Any

Row = dict[str, Any]
Message = dict[str, Any]


class OutputFormat(StrEnum):
    """The shape of a template's rows, in the wire's words."""

    MESSAGES = "messages"
    PROMPT_COMPLETION = "prompt_completion"
    DPO = "dpo"
    TEXT = "text"


def system(content: str) -> Message:
    return {"role": "system", "content": content}


def user(content: str) -> Message:
    return {"role": "user", "content": content}


def assistant(content: str) -> Message:
    return {"role": "assistant", "content": content}


def messages(*turns: Message, **more: Any) -> Row:
    """more: further members of the row, such as `metadata`."""
    return {"messages": list(turns), **more}


def completion(prompt: str, completed: str) -> Row:
    return {"prompt": prompt, "completion": completed}
