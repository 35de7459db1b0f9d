"""The fields that both completion routes take, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.api.adapter_choice import adapter_choice
from inference.api.json_body import boolean, integer, json_object
from inference.api.sampling import sampling_choice
from inference.api.stop import stop_strings
from inference.constraint import Constraint
from inference.errors import InvalidRequest
from inference.request import SamplingChoice
from inference.text.grammar.fields import BadField, constraint_of

MAX_TOP_LOGPROBS = 11


@dataclass(frozen=True, slots=True)
class GenerationFields:
    """How to generate, whatever the prompt is.

    logprobs: as `GenerationRequest.logprobs`; None for a stream, whose chunks carry none.
    adapter: as `GenerationRequest.adapter`.
    """

    stream: bool
    max_tokens: int | None
    sampling: SamplingChoice
    stop: tuple[str, ...]
    constraint: Constraint | None
    logprobs: int | None
    adapter: tuple[str, ...] | None

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "GenerationFields":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        _check_n(body)
        # Usage is on the last chunk of every stream, asked for or not.
        boolean(json_object(body, "stream_options"), "include_usage", default=False)
        stream = boolean(body, "stream", default=False)
        logprobs = _logprobs(body)
        return cls(
            stream=stream,
            max_tokens=_max_tokens(body),
            sampling=sampling_choice(body),
            stop=stop_strings(body.get("stop"), "stop"),
            constraint=_constraint(body),
            logprobs=None if stream else logprobs,
            adapter=adapter_choice(body),
        )


def _constraint(body: Mapping[str, Any]) -> Constraint | None:
    try:
        return constraint_of(body)
    except BadField as error:
        raise InvalidRequest(str(error), error.field) from error


def _check_n(body: Mapping[str, Any]) -> None:
    n = integer(body, "n", at_least=1)
    if n is not None and n > 1:
        raise InvalidRequest(f"n is {n}, but this server gives 1 answer a request", "n")


def _max_tokens(body: Mapping[str, Any]) -> int | None:
    # Both are checked, so that the older name is no way around the check.
    older = integer(body, "max_tokens", at_least=1)
    newer = integer(body, "max_completion_tokens", at_least=1)
    return older if newer is None else newer


def _logprobs(body: Mapping[str, Any]) -> int | None:
    chosen = boolean(body, "logprobs", default=False)
    top = integer(body, "top_logprobs", at_least=0, at_most=MAX_TOP_LOGPROBS, unset=-1)
    return top or (0 if chosen else None)
