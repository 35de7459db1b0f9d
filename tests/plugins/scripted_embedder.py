"""An embedder without a model: how often each remainder of token ids occurs."""

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class ScriptedEmbedder:
    """Counts token ids by their remainder, so that order and number of tokens can be told.

    on_row: called before each row; raise from it to fail.
    seen: the rows so far.
    """

    dimensions: int = 8
    on_row: Callable[[], None] = lambda: None
    seen: list[Sequence[int]] = field(default_factory=list)

    def embed(
        self, rows: Sequence[Sequence[int]], dimensions: int, check: Callable[[], None]
    ) -> list[Sequence[float]]:
        vectors: list[Sequence[float]] = []
        for row in rows:
            check()
            self.on_row()
            self.seen.append(row)
            counts = [
                1.0 + sum(token % self.dimensions == place for token in row)
                for place in range(dimensions)
            ]
            length = math.hypot(*counts)
            vectors.append(array("f", [count / length for count in counts]))
        return vectors
