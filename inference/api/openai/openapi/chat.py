"""`POST /v1/chat/completions`: its body, its answer and its events."""

from inference.api.openai.chat_answer import ChatAnswer
from inference.api.openai.chat_schema import EFFORTS
from inference.api.openai.openapi.answers import ERRORS, FINISH_REASON, LOGPROBS, USAGE, head
from inference.api.openai.openapi.fields import FIELDS
from inference.api.openai.openapi.messages import MESSAGE, TOOL, TOOL_CHOICE
from inference.api.openapi.operation import WARNING, answer, operation
from inference.api.openapi.refusals import ERROR
from inference.api.openapi.schema import (
    Component,
    array,
    boolean,
    either,
    fields,
    integer,
    or_null,
    record,
    text,
    word,
)

_REQUEST = Component(
    "ChatCompletionRequest",
    fields(
        required={"messages": array(MESSAGE, "The conversation", minItems=1)},
        optional={
            **FIELDS,
            "tools": array(TOOL, "What the model may call"),
            "tool_choice": TOOL_CHOICE,
            "reasoning_effort": word(
                *EFFORTS, description="`none` turns reasoning off, all others turn it on"
            ),
            "chat_template_kwargs": fields(
                "Values for the chat template",
                optional={"enable_thinking": boolean("Wins over `reasoning_effort`")},
            ),
        },
        examples=[{"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 60}],
    ),
)

_CALL = {
    "id": text("`call_` and an id"),
    "type": word("function"),
    "function": record(members={"name": text(), "arguments": text("A JSON object as text")}),
}
_COMPLETION = Component(
    "ChatCompletion",
    record(
        members={
            **head("chat.completion", ChatAnswer.ID_PREFIX),
            "choices": array(
                record(
                    members={
                        "index": integer(),
                        "message": record(
                            members={
                                "role": word("assistant"),
                                "content": or_null(text("Null if there are calls alone")),
                            },
                            optional={
                                "reasoning": text("What the model thought"),
                                "tool_calls": array(record(members=_CALL)),
                            },
                        ),
                        "finish_reason": FINISH_REASON,
                    },
                    optional={"logprobs": LOGPROBS},
                ),
                "One choice",
            ),
            "usage": USAGE,
        }
    ),
)
_CHUNK = Component(
    "ChatCompletionChunk",
    record(
        "The first brings the role, the last the finish reason and the usage",
        members={
            **head("chat.completion.chunk", ChatAnswer.ID_PREFIX),
            "choices": array(
                record(
                    members={
                        "index": integer(),
                        "delta": record(
                            members={},
                            optional={
                                "role": word("assistant"),
                                "content": text(),
                                "reasoning": text("Always before the content it leads to"),
                                "tool_calls": array(
                                    record(members={"index": integer(), **_CALL}),
                                    "One call, complete",
                                ),
                            },
                        ),
                        "finish_reason": or_null(FINISH_REASON),
                    }
                )
            ),
        },
        optional={"usage": USAGE},
    ),
)

CHAT_COMPLETIONS = operation(
    "createChatCompletion",
    "Answer a conversation",
    "Renders the conversation with the model's chat template and lets the model write the next "
    "turn. A field of a wrong type or out of range gives 400, unknown fields are ignored, and "
    "null is the same as leaving a field out.\n\n"
    "With `stream`, every event is a line `data:` with a JSON object, and `data: [DONE]` ends "
    "them. After five silent seconds comes the comment `: keep-alive`. A failure is an event with "
    "an `error`, and no `[DONE]` follows it.",
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
