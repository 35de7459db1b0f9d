"""A model with adapters on, for as long as a forward pass takes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from inference.adapters.mounted import MountedAdapter
from inference.adapters.target import Target
from inference.engine.adapters.layers import ADAPTED, Factors, stacked
from inference.engine.adapters.targets import place_of


@dataclass(frozen=True, slots=True)
class LoadedAdapter:
    """A mounted adapter and its arrays, which go with the last sequence that holds it."""

    facts: MountedAdapter
    factors: Mapping[str, Factors]


class AdaptedModel:
    """Called in place of a model by the sequence that chose these adapters.

    While a call builds its graph, the layers have stand-ins in their places; before and after,
    the model's own modules are there, so that whoever chose none pays nothing. No trace of a
    step ever holds an adapter, since it is the model itself that is called.

    model: an mlx-lm model, `model(tokens (B, L), cache=layer caches) -> logits (B, L, V)`.
    namespace: of what is cached for these adapters: names and weights, in order.
    Thread: engine only, but for being made.
    """

    def __init__(
        self, model: Any, targets: Mapping[str, Target], adapters: tuple[LoadedAdapter, ...]
    ) -> None:
        self._model = model
        self._targets = targets
        self._adapters = adapters
        self._places: list[tuple[Any, Any, Any, Any]] | None = None
        self.namespace = "+".join(adapter.facts.identity for adapter in adapters)

    def __call__(self, tokens: mx.array, cache: list[Any]) -> mx.array:
        with self._stand_ins():
            logits: mx.array = self._model(tokens, cache=cache)
        return logits

    @contextmanager
    def _stand_ins(self) -> Iterator[None]:
        if self._places is None:
            self._places = list(self._make_places())
        try:
            for holder, key, _, adapted in self._places:
                holder[key] = adapted
            yield
        finally:
            for holder, key, original, _ in self._places:
                holder[key] = original

    def _make_places(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Yield for each layer what holds it, under which key, and both its occupants."""
        paths = dict.fromkeys(path for adapter in self._adapters for path in adapter.factors)
        for path in paths:
            parts = [x.factors[path] for x in self._adapters if path in x.factors]
            holder, key = place_of(self._model, path)
            original = holder[key]
            adapted = ADAPTED[self._targets[path].kind](original, stacked(parts))
            yield holder, key, original, adapted
