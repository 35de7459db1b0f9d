"""A runner that plays given tokens in place of a model.

Stands behind the same interface as the real one, so that the web side can be developed
and tested without weights: with given tokens, given errors and given delays.
"""

import math
import time
from collections.abc import Callable
from collections.abc import Sequence as Tokens
from dataclasses import dataclass, field
from typing import Any

from hub.kv_cost import FREE, KvCost
from inference.engine.plan import LaunchedStep, StepPlan, StepResult, TokenScores
from inference.engine.runner import RunnerStats
from inference.engine.sequence import Sequence, TokenMatcher

Script = Callable[[Sequence], Tokens[int]]
"""Chooses the whole answer of a sequence, its stop token included."""


@dataclass(slots=True)
class ScriptedRunner:
    """Answers every sequence with the tokens of its script.

    A script shorter than the token limit repeats its last token.

    step_seconds: how long a step takes.
    prefill_seconds: how long one chunk of a prompt takes.
    on_step: called with each plan before it runs; raise from it to fail the step.
    max_rows, kv_cost: as `Runner` has them.
    """

    script: Script
    step_seconds: float = 0.0
    prefill_seconds: float = 0.0
    on_step: Callable[[StepPlan], None] | None = None
    max_rows: int | None = None
    kv_cost: KvCost = FREE
    rows: dict[str, Tokens[int]] = field(default_factory=dict)
    sleep: Callable[[float], None] = time.sleep

    def begin(self, sequence: Sequence) -> int:
        self.rows[sequence.id] = self.script(sequence)
        if sequence.matcher is not None:
            sequence.matcher = _Unheeded(sequence.matcher)
        return 0

    def launch(self, plan: StepPlan) -> LaunchedStep:
        for sequence in plan.ended:
            self.rows.pop(sequence.id, None)
        if self.on_step is not None:
            self.on_step(plan)
        tokens, scores = [], {}
        for row, sequence in enumerate(plan.decodes):
            answer = self.rows[sequence.id]
            token = answer[min(sequence.num_launched, len(answer)) - 1]
            tokens.append(token)
            if sequence.logprobs is not None:
                scores[row] = _scores(token, sequence.logprobs)
        return LaunchedStep(plan, handle=StepResult(tuple(tokens), scores))

    def collect(self, step: LaunchedStep) -> StepResult:
        pause = self.step_seconds * bool(step.plan.decodes)
        pause += self.prefill_seconds * len(step.plan.prefills)
        if pause:
            self.sleep(pause)
        assert isinstance(step.handle, StepResult)
        return step.handle

    def reset(self) -> None:
        self.rows.clear()

    def rest(self) -> None:
        pass

    def close(self) -> None:
        self.rows.clear()

    def stats(self) -> RunnerStats:
        return RunnerStats()


@dataclass(frozen=True, slots=True)
class _Unheeded:
    """A matcher whose refusals do not count: played tokens are not drawn under its masks."""

    matcher: TokenMatcher

    @property
    def is_done(self) -> bool:
        return self.matcher.is_done

    @property
    def failure(self) -> str | None:
        return self.matcher.failure

    def fill(self, row: Any) -> None:
        self.matcher.fill(row)

    def accept(self, token: int) -> bool:
        self.matcher.accept(token)
        return True


def _scores(token: int, count: int) -> TokenScores:
    """Make up scores: 1/2 for the token itself, 1/4 for the id after it, and so on."""
    top = tuple((token + rank, -math.log(2) * (rank + 1)) for rank in range(count))
    return TokenScores(-math.log(2), top)
