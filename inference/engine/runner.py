"""What the engine needs of whoever computes its steps.

`ModelRunner` computes them with a real model; `ScriptedRunner` plays given tokens. The
engine cannot tell them apart.
"""

from dataclasses import dataclass
from typing import Protocol

from hub.kv_cost import KvCost
from inference.engine.plan import LaunchedStep, StepPlan, StepResult
from inference.engine.sequence import Sequence


@dataclass(frozen=True, slots=True)
class RunnerStats:
    """Figures of a runner at rest between two steps.

    cache_*: the prefix cache: entries, bytes held, byte limit, lookups that found a
        usable prefix and those that did not.
    kv_bytes: keys and values of the sequences in the engine now.
    """

    cache_entries: int = 0
    cache_bytes: int = 0
    cache_max_bytes: int = 0
    cache_hits: int = 0
    cache_misses: int = 0
    kv_bytes: int = 0


class Runner(Protocol):
    """Computes steps. Every method runs on the engine thread, and only there.

    max_rows: sequences that it can hold at once; None for any number.
    kv_cost: what the keys and values of one take.
    """

    @property
    def max_rows(self) -> int | None: ...

    @property
    def kv_cost(self) -> KvCost: ...

    def begin(self, sequence: Sequence) -> int:
        """Give a sequence its place and return how many prompt tokens are computed already."""

    def launch(self, plan: StepPlan) -> LaunchedStep:
        """Start a step without waiting for it.

        Decodes take the tokens that the step before sampled, read back or not.
        An exception fails every sequence that holds cache.
        """

    def collect(self, step: LaunchedStep) -> StepResult:
        """Wait for a launched step and read its tokens."""

    def reset(self) -> None:
        """Throw away all sequences' state after a failed step."""

    def rest(self) -> None:
        """Give back memory that is kept for later: somebody else needs the machine now."""

    def close(self) -> None:
        """Free everything; the runner is not used again."""

    def stats(self) -> RunnerStats:
        """Return current figures."""
