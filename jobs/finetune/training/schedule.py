"""The learning rate of each update, as a pure function."""

import math
from dataclasses import dataclass

from jobs.finetune.config import FinetuneConfig, Schedule


@dataclass(frozen=True, slots=True)
class LearningRate:
    """A linear rise over `warmup` updates, then constant, or down a half cosine towards 0.

    peak: the highest rate. updates: of the whole run, the rise included.
    """

    peak: float
    updates: int
    warmup: int
    schedule: Schedule

    @classmethod
    def of(cls, config: FinetuneConfig) -> "LearningRate":
        warmup = math.ceil(config.warmup_iters / config.grad_accumulation_steps)
        return cls(config.peak_learning_rate, config.updates, warmup, config.schedule)

    def at(self, update: int) -> float:
        """Return the rate of an update, counted from 0. None is 0: every update moves."""
        if update < self.warmup:
            return self.peak * (update + 1) / (self.warmup + 1)
        if self.schedule is Schedule.CONSTANT:
            return self.peak
        share = (update - self.warmup) / max(self.updates - self.warmup, 1)
        return self.peak * 0.5 * (1 + math.cos(math.pi * share))
