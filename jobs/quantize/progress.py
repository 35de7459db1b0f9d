"""How far a quantization is: stages of known weight, and a share within each."""

import time
from collections.abc import Callable, Sequence

from jobs.emitter import Emitter

Tell = Callable[[float], None]
"""Takes the share of some work that is done, from 0 to 1."""
QUIET_SECONDS = 0.5  # between two events of one stage


class Progress:
    """Stages in the order in which they come. Thread: the job's."""

    def __init__(self, emit: Emitter, stages: Sequence[tuple[str, float]]) -> None:
        """stages: name and weight of each, in about the time that it takes."""
        self._emit = emit
        total = sum(weight for _, weight in stages)
        self._widths = {name: weight / total for name, weight in stages}
        self._starts: dict[str, float] = {}
        at = 0.0
        for name, width in self._widths.items():
            self._starts[name] = at
            at += width
        self._stage, self._message, self._told_at = "", "", 0.0

    def begin(self, stage: str, message: str) -> None:
        """Enter a stage, and say what goes on in it."""
        self._stage, self._message = stage, message
        self._tell(0.0)

    def tell(self, share: float) -> None:
        """share: of this stage, from 0 to 1."""
        if share >= 1 or time.monotonic() - self._told_at >= QUIET_SECONDS:
            self._tell(min(share, 1.0))

    def _tell(self, share: float) -> None:
        done = self._starts[self._stage] + share * self._widths[self._stage]
        self._emit.stage(self._stage, round(min(done, 1.0), 4), self._message)
        self._told_at = time.monotonic()


def within(tell: Tell, start: float, width: float) -> Tell:
    """Tell of a part of the work as of the whole: the part begins at `start`."""
    return lambda share: tell(start + share * width)
