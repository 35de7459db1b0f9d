"""What the engine counts about itself, for `/stats` and `/metrics`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from inference.engine.runner import RunnerStats

# Upper bounds of the step-time histogram, in seconds; one more bucket takes the rest.
STEP_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class EngineStats:
    """A picture of the engine between two steps. Counters run from its start.

    submitted: sequences accepted.
    ended: sequences by how they ended: a finish reason, `error` or `abort`.
    prompt_tokens, cached_tokens, completion_tokens: of sequences, as `Usage` counts them;
        a prompt counts when it is admitted.
    step_seconds, step_counts: time from one step's tokens to the next's, in total and by
        bucket of `STEP_BUCKETS`.
    active, pending: sequences that decode; that wait or prefill.
    waiting: of the pending, those that hold no place yet.
    kv_bytes: what keys and values of the others can come to.
    """

    submitted: int = 0
    ended: Mapping[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    step_seconds: float = 0.0
    step_counts: tuple[int, ...] = (0,) * (len(STEP_BUCKETS) + 1)
    active: int = 0
    pending: int = 0
    waiting: int = 0
    kv_bytes: int = 0
    runner: RunnerStats = field(default_factory=RunnerStats)


class Counters:
    """The running totals behind `EngineStats`. Thread: engine only."""

    def __init__(self) -> None:
        self.ended: Counter[str] = Counter()
        self.prompt_tokens = 0
        self.cached_tokens = 0
        self.completion_tokens = 0
        self.step_seconds = 0.0
        self.step_counts = [0] * (len(STEP_BUCKETS) + 1)

    def note_step(self, seconds: float) -> None:
        self.step_seconds += seconds
        bucket = sum(seconds > bound for bound in STEP_BUCKETS)
        self.step_counts[bucket] += 1
