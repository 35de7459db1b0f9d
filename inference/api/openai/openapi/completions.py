"""`POST /v1/completions`: its body, its answer and its events."""

from inference.api.openai.openapi.answers import ERRORS, FINISH_REASON, LOGPROBS, USAGE, head
from inference.api.openai.openapi.fields import FIELDS
from inference.api.openai.text_answer import TextAnswer
from inference.api.openapi.operation import WARNING, answer, operation
from inference.api.openapi.refusals import ERROR
from inference.api.openapi.schema import (
    Component,
    array,
    either,
    fields,
    integer,
    or_null,
    record,
    text,
)

_REQUEST = Component(
    "TextCompletionRequest",
    fields(
        required={"prompt": text("The text to continue; no lists, no token ids", minLength=1)},
        optional=FIELDS,
        examples=[{"prompt": "Once upon a time", "max_tokens": 60}],
    ),
)
_CHOICE = {"index": integer(), "text": text()}
_HEAD = head("text_completion", TextAnswer.ID_PREFIX)

_COMPLETION = Component(
    "TextCompletion",
    record(
        members={
            **_HEAD,
            "choices": array(
                record(
                    members={**_CHOICE, "finish_reason": FINISH_REASON},
                    optional={"logprobs": LOGPROBS},
                ),
                "One choice",
            ),
            "usage": USAGE,
        }
    ),
)
_CHUNK = Component(
    "TextCompletionChunk",
    record(
        "The last brings the finish reason and the usage",
        members={
            **_HEAD,
            "choices": array(record(members={**_CHOICE, "finish_reason": or_null(FINISH_REASON)})),
        },
        optional={"usage": USAGE},
    ),
)

COMPLETIONS = operation(
    "createCompletion",
    "Continue a text",
    "Continues the prompt without a chat template. Fields and streams are read and written as "
    "for a conversation.",
    body=_REQUEST,
    answers={
        200: answer(
            "The answer, whole or as a stream of chunks",
            _COMPLETION,
            events=either(_CHUNK, ERROR),
            headers=WARNING,
        ),
        **ERRORS,
    },
)
