"""What answers of the completion routes share; what writes them is `blocks.py`."""

from inference.api.openapi.operation import RETRY_AFTER, Answers, answer
from inference.api.openapi.refusals import ERROR, REFUSED_WRITES
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    integer,
    number,
    record,
    text,
    word,
)
from inference.events import FinishReason, Lane

USAGE = Component(
    "CompletionUsage",
    record(
        members={
            "prompt_tokens": integer(),
            "completion_tokens": integer("Generated tokens, the stopping one included"),
            "total_tokens": integer(),
            "prompt_tokens_details": record(
                members={"cached_tokens": integer("Prompt tokens taken from the prefix cache")}
            ),
            "lane": word(*Lane, description="Whether the answer shared decode steps with others"),
        }
    ),
)
FINISH_REASON = word(
    *FinishReason,
    description="`stop`: the model ended its turn, a stop string appeared, or a grammar was "
    "satisfied. `length`: the token limit or the context was reached. `tool_calls`: it calls",
)

_CANDIDATE = {
    "id": integer("The token's id"),
    "token": text("How the vocabulary spells it"),
    "logprob": number("After biases and penalties, before temperature and filters"),
}
LOGPROBS = Component(
    "CompletionLogprobs",
    record(
        "Asked for by `logprobs` or `top_logprobs`",
        members={
            "content": array(
                record(
                    "The drawn token; with alternatives, the likeliest one and all of them",
                    members={"id": _CANDIDATE["id"], "logprob": _CANDIDATE["logprob"]},
                    optional={
                        "token": _CANDIDATE["token"],
                        "top_logprobs": array(record(members=_CANDIDATE)),
                    },
                )
            )
        },
    ),
)

ERRORS: Answers = {
    **REFUSED_WRITES,
    400: answer(
        "The request can never succeed as sent; `param` names the field. Type "
        "`memory_admission` and code `context_over_budget`: the prompt leaves no room; code "
        "`kv_over_budget`: with its answer it could outgrow the KV budget",
        ERROR,
    ),
    429: answer("Too many requests wait", ERROR, headers=RETRY_AFTER),
    500: answer("The generation failed, or the server has a fault", ERROR),
}


def head(kind: str, prefix: str) -> dict[str, Schema]:
    """What every object of an answer begins with."""
    return {
        "id": text(f"`{prefix}` and 24 digits"),
        "object": word(kind),
        "created": integer("Unix time in seconds"),
        "model": text("The served model"),
    }
