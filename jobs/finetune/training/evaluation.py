"""How well a model does on rows that it is not trained on."""

from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from jobs.finetune.training.objective import Objective


@dataclass(frozen=True, slots=True)
class Means:
    """Loss and further figures, over all tokens or pairs of a set."""

    loss: float
    figures: dict[str, float]


def evaluate(model: Any, objective: Objective, batch_size: int) -> Means:
    """Average over all rows of the objective, without dropout and without gradients."""
    rows = sorted(range(len(objective.lengths)), key=lambda row: objective.lengths[row])
    sums: dict[str, float] = {}
    count = 0
    model.eval()
    try:
        for first in range(0, len(rows), batch_size):
            batch = objective.collate(rows[first : first + batch_size])
            loss, figures = objective.loss(model, batch.arrays)
            mx.eval(loss, figures)
            for name, array in {"loss": loss, **figures}.items():
                value: Any = array.item()
                sums[name] = sums.get(name, 0.0) + value
            count += batch.count
    finally:
        model.train()
    means = {name: value / count for name, value in sums.items()}
    return Means(means.pop("loss"), means)
