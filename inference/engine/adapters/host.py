"""Holds the adapters that are mounted on a loaded model."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import mlx.core as mx

from inference.adapters.errors import BadAdapter
from inference.adapters.folder import Adapter
from inference.adapters.mounted import MountedAdapter
from inference.adapters.target import Target
from inference.engine.adapters.adapted_model import AdaptedModel, LoadedAdapter
from inference.engine.adapters.factors import make_factors
from inference.engine.cache.memory_guard import OutOfMemory


class AdapterHost:
    """Mounts, unmounts and hands out adapters. The weights of the model are never touched.

    An adapter that is unmounted, or mounted anew, leaves the sequences alone that hold it: its
    arrays live as long as the last of them.

    model: an mlx-lm model. targets: its layers that can carry an adapter.
    compute: the type of its activations.
    make_room: called when an adapter is in memory; raises OutOfMemory if no step fits beside it.
    """

    def __init__(
        self,
        model: Any,
        targets: Mapping[str, Target],
        compute: mx.Dtype,
        make_room: Callable[[], None] = lambda: None,
    ) -> None:
        self._targets = targets
        self._model = model
        self._compute = compute
        self._make_room = make_room
        # Replaced as a whole, so that other threads see one state or the next.
        self._loaded: Mapping[str, LoadedAdapter] = MappingProxyType({})

    @property
    def mounted(self) -> dict[str, MountedAdapter]:
        """The adapters by id, in the order in which they were mounted. Thread: any."""
        return {adapter_id: loaded.facts for adapter_id, loaded in self._loaded.items()}

    def select(self, ids: tuple[str, ...]) -> AdaptedModel:
        """Return the model with these adapters on; raises KeyError with the first unknown id.

        Thread: any.
        """
        loaded = self._loaded
        return AdaptedModel(self._model, self._targets, tuple(loaded[name] for name in ids))

    def mount(self, adapter_id: str, adapter: Adapter) -> MountedAdapter:
        """Mount an adapter, in place of the one that has this id; raises BadAdapter.

        Thread: engine only, between two steps.
        """
        try:
            factors = make_factors(adapter, self._compute)
            self._make_room()
        except OutOfMemory as error:
            raise BadAdapter(f"no room is left for a step beside it: {error}") from error
        facts = MountedAdapter(
            id=adapter_id,
            path=adapter.path,
            rank=adapter.config.rank,
            scale=adapter.config.scale,
            digest=adapter.digest,
            size_bytes=adapter.size_bytes,
            num_layers=len(factors),
            ram_bytes=sum(part.nbytes for part in factors.values()),
        )
        others = {name: other for name, other in self._loaded.items() if name != adapter_id}
        self._loaded = MappingProxyType({**others, adapter_id: LoadedAdapter(facts, factors)})
        mx.clear_cache()  # what only reading it took
        return facts

    def unmount(self, adapter_id: str) -> MountedAdapter | None:
        """Unmount an adapter and return what it was; None if it is not there.

        Thread: engine only, between two steps.
        """
        loaded = dict(self._loaded)
        gone = loaded.pop(adapter_id, None)
        if gone is None:
            return None
        self._loaded = MappingProxyType(loaded)
        facts = gone.facts
        del gone
        mx.clear_cache()
        return facts
