"""AdamW for the factors of an adapter: gradients clipped, and B faster than A if asked for.

The learning rate of each update is handed in, so that a run can go on from any update. Biases of
the moments are corrected, as in the paper (Loshchilov and Hutter, 2019). A faster B is LoRA+
(Hayou et al., 2024).
"""

from collections.abc import Mapping
from typing import Any

import mlx.core as mx
import mlx.optimizers as optim

Weights = dict[str, mx.array]
"""Factors of an adapter, or their gradients, by path: `….lora_a` and `….lora_b`."""


class Optimizer:
    """Two AdamW side by side, for the factors A and B.

    clip: the longest that the gradient of all weights together may be; 0 for any.
    """

    def __init__(self, weights: Weights, *, weight_decay: float, ratio: float, clip: float) -> None:
        self._ratio = ratio
        self._clip = clip
        self._by_side = {
            side: optim.AdamW(learning_rate=0.0, weight_decay=weight_decay, bias_correction=True)
            for side in ("lora_a", "lora_b")
        }
        for side, optimizer in self._by_side.items():
            optimizer.init(_of_side(weights, side))

    def set_learning_rate(self, rate: float) -> None:
        self._by_side["lora_a"].learning_rate = rate
        self._by_side["lora_b"].learning_rate = rate * self._ratio

    def updated(self, weights: Weights, gradients: Weights) -> Weights:
        """Return new weights."""
        if self._clip:
            gradients, _ = optim.clip_grad_norm(gradients, self._clip)
        new: Weights = {}
        for side, optimizer in self._by_side.items():
            new |= optimizer.apply_gradients(_of_side(gradients, side), weights)
        return new

    @property
    def state(self) -> list[Any]:
        """What an update reads and writes, for `mx.compile`."""
        return [optimizer.state for optimizer in self._by_side.values()]

    def arrays(self) -> dict[str, mx.array]:
        """The state by names that `restore` takes, for a file."""
        found: dict[str, mx.array] = {}
        for side, optimizer in self._by_side.items():
            for name, value in optimizer.state.items():
                moments = value if isinstance(value, dict) else {"": value}
                found |= {f"{side}|{name}|{key}": array for key, array in moments.items()}
        return found

    def restore(self, arrays: Mapping[str, mx.array]) -> None:
        for name, array in arrays.items():
            side, weight, key = name.split("|")
            state = self._by_side[side].state
            if key:
                state[weight][key] = array
            else:
                state[weight] = array


def _of_side(weights: Weights, side: str) -> Weights:
    return {path: value for path, value in weights.items() if path.endswith(side)}
