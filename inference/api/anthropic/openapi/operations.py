"""Anthropic's routes as the OpenAPI document tells of them."""

from inference.api.anthropic.openapi.answers import ERRORS, EVENT, MESSAGE, REQUEST_ID
from inference.api.anthropic.openapi.requests import COUNT_REQUEST, MESSAGES_REQUEST
from inference.api.openapi.operation import WARNING, answer, operation
from inference.api.openapi.schema import Component, integer, record

_COUNT = Component("TokenCount", record(members={"input_tokens": integer()}))

MESSAGES = operation(
    "createMessage",
    "Answer a conversation",
    "Versions, beta headers and query change nothing. A field of a wrong type or out of range "
    "gives 400, unknown fields are ignored, and null is the same as leaving a field out.\n\n"
    "With `stream`, events have the name of their `type`: `message_start`; for each block "
    "`content_block_start`, `content_block_delta` and `content_block_stop`; `message_delta` and "
    "`message_stop`. After five silent seconds comes an empty delta or a `ping`. A failure is an "
    "event `error`, and nothing follows it.",
    body=MESSAGES_REQUEST,
    answers={
        200: answer(
            "The message, whole or as a stream of events",
            MESSAGE,
            events=EVENT,
            headers={**WARNING, **REQUEST_ID},
        ),
        **ERRORS,
    },
)
COUNT_TOKENS = operation(
    "countMessageTokens",
    "Count the tokens of a prompt",
    "Takes the fields of a message that make up its prompt. Nothing is generated.",
    body=COUNT_REQUEST,
    answers={200: answer("The number of tokens", _COUNT), **ERRORS},
)
