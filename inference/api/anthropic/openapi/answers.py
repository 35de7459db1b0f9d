"""Answers of Anthropic's routes; what writes them is `message.py`, `stream.py`, `errors.py`."""

from typing import Any

from inference.api.anthropic.message import SIGNATURE
from inference.api.openapi.operation import RETRY_AFTER, Answers, answer
from inference.api.openapi.refusals import ERROR, REFUSED_WRITES
from inference.api.openapi.schema import (
    NULL,
    Component,
    Schema,
    array,
    either,
    integer,
    or_null,
    record,
    text,
    word,
)

_CONTENT = Component(
    "ContentBlock",
    either(
        record(members={"type": word("text"), "text": text()}),
        record(
            "What the model thought",
            members={
                "type": word("thinking"),
                "thinking": text(),
                "signature": text(f"`{SIGNATURE}` once the thoughts are complete"),
            },
        ),
        record(
            "A call",
            members={
                "type": word("tool_use"),
                "id": text("`toolu_` and an id"),
                "name": text(),
                "input": {"type": "object", "description": "The arguments"},
            },
        ),
    ),
)
_USAGE = Component(
    "MessageUsage",
    record(
        members={
            "input_tokens": integer("Of the prompt, those that were not in the prefix cache"),
            "output_tokens": integer(),
        },
        optional={"cache_read_input_tokens": integer("Those that were, if there are any")},
    ),
)
_STOP_REASON = word("end_turn", "stop_sequence", "max_tokens", "tool_use")
_HEAD: dict[str, Schema] = {
    "id": text("`msg_` and 24 digits"),
    "type": word("message"),
    "role": word("assistant"),
    "model": text("The served model"),
    "content": array(_CONTENT),
}
_ENDING = {"stop_sequence": or_null(text("The string that matched"))}

MESSAGE = Component(
    "Message",
    record(members={**_HEAD, "stop_reason": _STOP_REASON, **_ENDING, "usage": _USAGE}),
)
ANTHROPIC_ERROR = Component(
    "AnthropicError",
    record(
        members={
            "type": word("error"),
            "error": record(members={"type": text("The kind of error"), "message": text()}),
        },
        optional={"request_id": text("Of the answer; an event has none")},
    ),
)


def _event(kind: str, description: str = "", **members: Schema) -> Schema:
    return record(description, members={"type": word(kind), **members})


_INDEX = integer("Which block of the content")
EVENT = Component(
    "MessageEvent",
    either(
        _event(
            "message_start",
            "How much of the prompt is cached is not known yet",
            message=record(members={**_HEAD, "stop_reason": NULL, **_ENDING, "usage": _USAGE}),
        ),
        _event("content_block_start", index=_INDEX, content_block=_CONTENT),
        _event(
            "content_block_delta",
            index=_INDEX,
            delta=either(
                record(members={"type": word("text_delta"), "text": text()}),
                record(members={"type": word("thinking_delta"), "thinking": text()}),
                record(members={"type": word("signature_delta"), "signature": text()}),
                record(
                    "The arguments of a call, complete",
                    members={"type": word("input_json_delta"), "partial_json": text()},
                ),
            ),
        ),
        _event("content_block_stop", index=_INDEX),
        _event(
            "message_delta",
            delta=record(members={"stop_reason": _STOP_REASON, **_ENDING}),
            usage=_USAGE,
        ),
        _event("message_stop"),
        _event("ping", "A sign of life"),
        ANTHROPIC_ERROR,
    ),
)

REQUEST_ID: dict[str, Any] = {
    "request-id": {"description": "Names the request", "schema": {"type": "string"}}
}
ERRORS: Answers = {
    **REFUSED_WRITES,
    400: answer(
        "The request can never succeed as sent; the message names the field. A prompt without "
        "room for an answer begins `prompt is too long: `",
        ANTHROPIC_ERROR,
    ),
    413: answer("The body is larger than 64 MiB", ANTHROPIC_ERROR),
    429: answer("Too many requests wait", ANTHROPIC_ERROR, headers=RETRY_AFTER),
    500: answer("The generation failed, or the server has a fault", ANTHROPIC_ERROR),
    503: answer(
        "No engine answers; or, in the shape of `Error`, the server is shutting down",
        either(ANTHROPIC_ERROR, ERROR),
        headers=RETRY_AFTER,
    ),
}
