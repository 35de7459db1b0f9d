"""The values that cross between the scheduler, the runner and the callers.

A `StepPlan` says what the next step does; a `StepResult` says what came of it; a
`TokenOutput` is what one caller hears.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inference.engine.sequence import Sequence
from inference.events import FinishReason, Lane


@dataclass(frozen=True, slots=True)
class PrefillChunk:
    """Compute prompt tokens `start` to `start + length` of one sequence."""

    sequence: Sequence
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class StepPlan:
    """What one step does, decided before it is done.

    ended: sequences that left since the last plan; their rows are freed first.
    decodes: running sequences, each of which advances by one token.
    prefills: chunks of prompts, in arrival order.
    """

    ended: tuple[Sequence, ...] = ()
    decodes: tuple[Sequence, ...] = ()
    prefills: tuple[PrefillChunk, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ended or self.decodes or self.prefills)


@dataclass(frozen=True, slots=True)
class TokenScores:
    """Log-probabilities at one step, after the logits processors and before any filter.

    chosen: of the token that was drawn.
    top: the likeliest token ids with theirs, best first; as many as were asked for.
    """

    chosen: float
    top: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a launched step produced.

    tokens: one token id for each sequence of the plan's `decodes`, in that order.
    scores: by index of the row, for the rows that asked.
    """

    tokens: tuple[int, ...] = ()
    scores: Mapping[int, TokenScores] = field(default_factory=dict)


@dataclass(slots=True)
class LaunchedStep:
    """A step on its way: started, not yet read.

    failed: sequences whose own part could not be started, with the reason; the rest of
        the step is unaffected.
    handle: whatever the runner needs to read the result back.
    """

    plan: StepPlan
    failed: list[tuple[Sequence, Exception]] = field(default_factory=list)
    handle: Any = None


@dataclass(frozen=True, slots=True)
class TokenOutput:
    """News of one sequence after a step.

    token_ids: new tokens, usually one.
    finish_reason: set on the last output of a sequence that ended by itself.
    error: set on the last output of a sequence that failed.
    cached_tokens, lane: as `Usage` reports them.
    scores: one for each of `token_ids`, if asked for.
    """

    sequence_id: str
    token_ids: tuple[int, ...] = ()
    finish_reason: FinishReason | None = None
    error: str | None = None
    cached_tokens: int = 0
    lane: Lane = Lane.SERIAL
    scores: tuple[TokenScores, ...] = ()

    @property
    def is_last(self) -> bool:
        return self.finish_reason is not None or self.error is not None
