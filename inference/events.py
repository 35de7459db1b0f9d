"""What a generation yields: one stream of events, the same for every protocol.

`Started`, then any number of `TextDelta` and `Idle`, then exactly one of `Finished` and
`Failed`.
"""

from collections.abc import AsyncIterable
from dataclasses import dataclass
from enum import StrEnum

from inference.errors import InferenceError


class FinishReason(StrEnum):
    STOP = "stop"  # the model ended its turn, or a stop string appeared
    LENGTH = "length"  # the token limit or the context was reached


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
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    lane: Lane


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
class Idle:
    """Nothing new for a while, and the generation goes on; lets a stream show that it lives."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete.

    logprobs: one entry for each generated token, if asked for.
    """

    reason: FinishReason
    usage: Usage
    logprobs: tuple[TokenLogprobs, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The generation ended without an answer, after it had begun."""

    error: InferenceError


Event = Started | TextDelta | Idle | Finished | Failed


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer, for callers that do not stream."""

    text: str
    reason: FinishReason
    usage: Usage
    logprobs: tuple[TokenLogprobs, ...] = ()


async def collect(events: AsyncIterable[Event]) -> Completion:
    """Read a generation to its end and return the whole answer.

    Raises the error of a `Failed` event.
    """
    pieces: list[str] = []
    finished: Finished | None = None
    async for event in events:
        match event:
            case TextDelta(text):
                pieces.append(text)
            case Finished():
                finished = event
            case Failed(error):
                raise error
            case Started() | Idle():
                pass
    assert finished is not None, "every generation ends with Finished or Failed"
    return Completion("".join(pieces), finished.reason, finished.usage, finished.logprobs)
