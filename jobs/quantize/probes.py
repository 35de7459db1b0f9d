"""What goes in and out of modules while a model runs, and how the outcome depends on it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

_METHODS = ("__call__", "as_linear")  # a tied embedding is the head as well


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """One call of a module: how it was called, and what it returned."""

    name: str
    method: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    output: mx.array

    def repeat(self, module: Any) -> mx.array:
        """Call another module in the same way."""
        found: mx.array = getattr(module, self.method)(*self.arguments, **self.named)
        return found


@dataclass(slots=True)
class Probes:
    """Listens to modules. nudges: added to the outputs of the calls, in their order."""

    calls: list[ModuleCall] = field(default_factory=list)
    nudges: Sequence[mx.array] = ()

    def hear(
        self, name: str, method: str, arguments: Any, named: Any, output: mx.array
    ) -> mx.array:
        place = len(self.calls)
        if place < len(self.nudges):
            output = output + self.nudges[place]
        self.calls.append(ModuleCall(name, method, *copied((arguments, named, output))))
        return output


def copied(tree: Any) -> Any:
    """The same arrays as objects of their own: `h *= 2` in a model changes the object it has."""
    return tree_map(lambda leaf: mx.stop_gradient(leaf) if _is_array(leaf) else leaf, tree)


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, mx.array)


@contextmanager
def probing(modules: Mapping[str, Any], nudges: Sequence[mx.array] = ()) -> Iterator[Probes]:
    """Listen to calls of modules by name, until the block ends."""
    probes = Probes(nudges=nudges)
    own = {name: type(module) for name, module in modules.items()}
    for name, module in modules.items():
        _become(module, _listening(own[name], name, probes))
    try:
        yield probes
    finally:
        for name, module in modules.items():
            _become(module, own[name])


def _listening(own: type, name: str, probes: Probes) -> type:
    def wrap(method: str) -> Any:
        original = getattr(own, method)

        def call(module: Any, *arguments: Any, **named: Any) -> Any:
            output = original(module, *arguments, **named)
            return probes.hear(name, method, arguments, named, output)

        return call

    return type(own.__name__, (own,), {m: wrap(m) for m in _METHODS if hasattr(own, m)})


def _become(module: Any, kind: type) -> None:
    object.__setattr__(module, "__class__", kind)
