"""Vectors of token ids, read off a causal model's hidden states.

A row's vector is the hidden state of its last token, which has attended to all others,
scaled to unit length. Rows are padded on the right: no token attends to what comes after
it, so padding changes nothing and needs no mask.

Source: Qwen3 Embedding (Zhang et al., 2025); cut vectors: Matryoshka representation learning
(Kusupati et al., NeurIPS 2022).
"""

from array import array
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

_SMALLEST_NORM = 1e-12  # a vector of zeros stays one


class ModelEmbedder:
    """Embeds with an mlx-lm model. Thread: engine only, while no sequence holds a place.

    model: `model.model(tokens (B, L), cache=layer caches)` gives hidden states (B, L, D) after
        the last norm.
    pass_tokens: tokens of one forward pass, padding included.
    make_room: called before each pass; raises when memory does not suffice for one.
    """

    def __init__(self, model: Any, pass_tokens: int, make_room: Callable[[], None]) -> None:
        self.dimensions = int(model.args.hidden_size)
        self._model = model
        self._pass_tokens = pass_tokens
        self._make_room = make_room

    def embed(
        self, rows: Sequence[Sequence[int]], dimensions: int, check: Callable[[], None]
    ) -> list[Sequence[float]]:
        """Return the vectors of `rows`, in their order, cut to `dimensions` and of unit length.

        rows: token ids, at least one each, of any number and length.
        check: called before each pass; what it raises ends the work.
        Raises ArithmeticError when a vector is not finite.
        """
        vectors: list[Sequence[float]] = [()] * len(rows)
        for indices in plan_passes([len(row) for row in rows], self._pass_tokens):
            hidden = self._hidden_at_end([rows[index] for index in indices], check)
            for index, vector in zip(indices, _unit(hidden[:, :dimensions]), strict=True):
                vectors[index] = vector
        mx.clear_cache()  # buffers of these lengths may never be asked for again
        return vectors

    def _hidden_at_end(self, rows: list[Sequence[int]], check: Callable[[], None]) -> mx.array:
        """Return the hidden states (B, D) of the last tokens.

        A row longer than a pass is alone, and computed in pieces like a prompt.
        """
        longest = max(map(len, rows))
        tokens = mx.array([[*row, *[0] * (longest - len(row))] for row in rows], dtype=mx.uint32)
        layers = make_prompt_cache(self._model) if longest > self._pass_tokens else None
        for start in range(0, longest, self._pass_tokens):
            check()
            self._make_room()
            piece = tokens[:, start : start + self._pass_tokens]
            hidden = self._model.model(piece, cache=layers)
            mx.eval([layer.state for layer in layers] if layers else hidden)
        ends = mx.array([len(row) - 1 - start for row in rows])
        at_end: mx.array = hidden[mx.arange(len(rows)), ends]
        return at_end


def plan_passes(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Group rows, by index, into forward passes; the shortest come first.

    A group, each of its rows padded to the longest, has no more than `budget` tokens, or one
    row. Since lengths only grow from group to group, all padding together stays within a few
    budgets, however many rows there are.
    """
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if groups and (len(groups[-1]) + 1) * lengths[index] <= budget:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _unit(hidden: mx.array) -> list[Sequence[float]]:
    """Scale hidden states (B, D) to unit length, in float32, and read them."""
    wide = hidden.astype(mx.float32)
    norms = mx.maximum(mx.linalg.norm(wide, axis=-1, keepdims=True), _SMALLEST_NORM)
    vectors = wide / norms
    if not mx.isfinite(vectors).all().item():
        raise ArithmeticError("the model's hidden states are not finite; try other weights")
    rows: Any = vectors.tolist()
    return [array("f", row) for row in rows]
