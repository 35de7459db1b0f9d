"""How fast a sequence decodes while it has the engine to itself."""

import time
from collections.abc import Callable

from inference.engine.plan import StepPlan
from inference.engine.sequence import Sequence, SequenceStatus

Report = Callable[[int, float], None]
"""Is told of tokens, and the seconds that they took. Thread: engine; must not block."""


class DecodeMeter:
    """Follows the steps that were read. Thread: engine only.

    A run is what one sequence decodes with no other row and no prompt beside it. It ends with
    the sequence, and is then reported, or with company, and is then forgotten. What holds steps
    up on purpose is not timed: grammars, log-probabilities and adapters.
    """

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._sequence: Sequence | None = None
        self._since = 0.0
        self._tokens = 0

    def note(self, plan: StepPlan) -> None:
        """Take in a step whose tokens have just been read, and appended."""
        if self._report is None:
            return
        now = time.perf_counter()
        alone = _alone(plan)
        if alone is None or alone is not self._sequence:
            self._sequence, self._since, self._tokens = alone, now, 0
            return
        self._tokens += 1
        if alone.status is SequenceStatus.FINISHED:
            self._report(self._tokens, now - self._since)
            self._sequence = None


def _alone(plan: StepPlan) -> Sequence | None:
    """Return the sequence that has the step for itself, if one has and can be timed."""
    if len(plan.decodes) != 1 or plan.prefills:
        return None
    [sequence] = plan.decodes
    plain = sequence.matcher is None and sequence.logprobs is None
    return sequence if plain and sequence.adapted_model is None else None
