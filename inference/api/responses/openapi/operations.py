"""The Responses routes as the OpenAPI document tells of them."""

from inference.api.openapi.operation import RETRY_AFTER, WARNING, Answers, answer, operation, query
from inference.api.openapi.refusals import ERROR, REFUSED_READS, REFUSED_WRITES
from inference.api.openapi.schema import Component, record, text, word
from inference.api.responses.openapi.events import EVENT
from inference.api.responses.openapi.request import REQUEST
from inference.api.responses.openapi.response import RESPONSE

_NOT_STORED: Answers = {404: answer("It is not stored: never was, deleted, or too old", ERROR)}

CREATE = operation(
    "createResponse",
    "Answer, and keep the answer to go on from",
    "A field of a wrong type or out of range gives 400, unknown fields are ignored, and null is "
    "the same as leaving a field out.\n\n"
    "With `stream`, events have the name of their `type` and are numbered: `response.created`, "
    "`response.in_progress`; for each item `response.output_item.added`, what it is made of, and "
    "`response.output_item.done`; at last the whole response. After five silent seconds comes "
    "`response.in_progress` again. A failure is an event `error`, and then `response.failed`.",
    body=REQUEST,
    answers={
        200: answer(
            "The response, whole or as a stream of events", RESPONSE, events=EVENT, headers=WARNING
        ),
        **REFUSED_WRITES,
        400: answer(
            "The request can never succeed as sent; the message names the field. Code "
            "`context_length_exceeded`: the prompt leaves no room for an answer",
            ERROR,
        ),
        404: answer("The previous response, or an item, is not stored", ERROR),
        429: answer("Too many requests wait", ERROR, headers=RETRY_AFTER),
        500: answer("The generation failed, or the server has a fault", ERROR),
    },
)
RETRIEVE = operation(
    "getResponse",
    "Return a stored response",
    "A response is kept for an hour at most, in memory, unless `store` was false.",
    parameters=[query("stream", word("false"), "A stored response is complete: 400 for `true`")],
    answers={
        200: answer("The response", RESPONSE),
        **REFUSED_READS,
        400: answer("It was asked for as a stream", ERROR),
        **_NOT_STORED,
    },
)
DELETE = operation(
    "deleteResponse",
    "Forget a stored response",
    answers={
        200: answer(
            "It is gone",
            Component(
                "DeletedResponse",
                record(
                    members={
                        "id": text(),
                        "object": word("response"),
                        "deleted": {"type": "boolean", "enum": [True]},
                    }
                ),
            ),
        ),
        **REFUSED_READS,
        **_NOT_STORED,
    },
)
