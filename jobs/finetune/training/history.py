"""Everything that was measured in a run, across its interruptions."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from jobs.finetune.training.trainer import Update


@dataclass(frozen=True, slots=True)
class Point:
    """One loss. kind: `train` or `val`. step: the iteration after which it was measured."""

    kind: str
    step: int
    loss: float


@dataclass(slots=True)
class Window:
    """Sums over the updates since the last report."""

    loss: float = 0.0
    count: int = 0
    tokens: int = 0
    seconds: float = 0.0
    figures: dict[str, float] = field(default_factory=dict)

    def add(self, update: Update) -> None:
        self.loss += update.loss
        self.count += update.count
        self.tokens += update.tokens
        self.seconds += update.seconds
        for name, value in update.figures.items():
            self.figures[name] = self.figures.get(name, 0.0) + value

    def means(self) -> dict[str, float]:
        return {name: value / self.count for name, value in self.figures.items()}


@dataclass(slots=True)
class History:
    """points: in the order of measuring."""

    points: list[Point] = field(default_factory=list)
    window: Window = field(default_factory=Window)

    def to_json(self) -> dict[str, Any]:
        """Flat lists, which stay short however long a run is; no number is null."""
        losses = [point.loss if math.isfinite(point.loss) else None for point in self.points]
        return {
            "kinds": [point.kind for point in self.points],
            "steps": [point.step for point in self.points],
            "losses": losses,
            "window": asdict(self.window),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "History":
        points = [
            Point(kind, step, math.nan if loss is None else loss)
            for kind, step, loss in zip(
                value["kinds"], value["steps"], value["losses"], strict=True
            )
        ]
        return cls(points, Window(**value["window"]))

    def series(self, kind: str) -> list[tuple[int, float]]:
        """Steps and losses of one kind."""
        return [(point.step, point.loss) for point in self.points if point.kind == kind]
