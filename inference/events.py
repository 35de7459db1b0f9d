"""What a generation yields: one stream of events, the same for every protocol.

`Started`, then any number of `ReasoningDelta`, `TextDelta`, `ToolCalled` and `Idle`, then
exactly one of `Finished` and `Failed`.
"""

from collections.abc import AsyncIterable
from dataclasses import dataclass
from enum import StrEnum

from inference.errors import InferenceError


class FinishReason(StrEnum):
    STOP = "stop"  # the model ended its turn, or a stop string appeared
    LENGTH = "length"  # the token limit or the context was reached
    TOOL_CALLS = "tool_calls"  # the model ended its turn by calling tools


class Lane(StrEnum):
    """Which execution served a request: alone in its steps' layout, or among batch rows."""

    SERIAL = "serial"
    BATCHED = "batched"


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one generation.

    prompt_tokens: all of the prompt, the cached part included.
    cached_tokens: prompt tokens taken from the prefix cache.
    completion_tokens: generated tokens, the stopping one included.
    reasoning_tokens: of those, the ones that are reasoning and its markers.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    lane: Lane
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token and the log of its probability, before any filter or temperature.

    piece: how the vocabulary spells the token, which need not be readable text.
    """

    token_id: int
    piece: str
    logprob: float


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """One generated token and the likeliest candidates in its place, best first."""

    chosen: Candidate
    top: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """The request was admitted; its prompt has this many tokens."""

    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of what the model thinks before it answers; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model calls a tool; the call is complete.

    id: unique over restarts; the protocols put their own prefix before it.
    arguments: a JSON object, as text.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing to show for a while, and the generation goes on; a stream can show that it lives."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete.

    logprobs: one entry for each generated token, if asked for.
    stop_string: the stop string that ended the answer, if one did.
    """

    reason: FinishReason
    usage: Usage
    logprobs: tuple[TokenLogprobs, ...] = ()
    stop_string: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The generation ended without an answer, after it had begun."""

    error: InferenceError


Event = Started | ReasoningDelta | TextDelta | ToolCalled | Idle | Finished | Failed


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer, for callers that do not stream. `Finished` tells the other fields."""

    text: str
    reason: FinishReason
    usage: Usage
    logprobs: tuple[TokenLogprobs, ...] = ()
    reasoning: str = ""
    tool_calls: tuple[ToolCalled, ...] = ()
    stop_string: str | None = None


async def collect(events: AsyncIterable[Event]) -> Completion:
    """Read a generation to its end and return the whole answer.

    Raises the error of a `Failed` event.
    """
    pieces: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCalled] = []
    finished: Finished | None = None
    async for event in events:
        match event:
            case TextDelta(text):
                pieces.append(text)
            case ReasoningDelta(text):
                thoughts.append(text)
            case ToolCalled():
                calls.append(event)
            case Finished():
                finished = event
            case Failed(error):
                raise error
            case Started() | Idle():
                pass
    assert finished is not None, "every generation ends with Finished or Failed"
    return Completion(
        text="".join(pieces),
        reason=finished.reason,
        usage=finished.usage,
        logprobs=finished.logprobs,
        reasoning="".join(thoughts),
        tool_calls=tuple(calls),
        stop_string=finished.stop_string,
    )
