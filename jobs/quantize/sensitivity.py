"""How much the model's predictions change when a module has fewer bits.

For small changes the divergence of the predictions is a quadratic form, the Fisher
information: half the mean of (g * d)**2, where d is how the quantized module's output differs,
and g the gradient of the log-probability of a token that the model itself might have said. One
backward pass gives g for all modules, and each width costs one more call of the module, so
that all widths are measured, not guessed from one. Modules are taken one by one: harm adds up.
The backward pass goes layer by layer as well, each layer read once more.
Source: second-order pruning, LeCun et al., NIPS 1989; Fisher form, Theis et al., 2018.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_map

from jobs.quantize.errors import QuantizeError
from jobs.quantize.plan import Target
from jobs.quantize.probes import ModuleCall, copied, probing
from jobs.quantize.progress import Tell, within
from jobs.quantize.streaming import StreamedModel, let_go, value_of

Harm = dict[str, dict[int, float]]
"""By module and bits: estimated divergence in nats a token."""
Given = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and named arguments of a layer."""
ROWS_TOGETHER = 4  # at most; fewer where the vocabulary is large
LOGITS_BYTES = 128 * 2**20  # of one pass, float32; gradients take as much again, twice
SEED = 0


@dataclass(frozen=True, slots=True)
class _Layer:
    """A layer's call in a pass: values, and identities of the arrays that carried them.

    objects: keeps those arrays, so that no other gets their identity.
    """

    given: Given
    given_ids: list[int]
    output: Any
    output_ids: list[int]
    objects: Any

    @classmethod
    def noted(cls, given: Given, output: Any) -> "_Layer":
        ids = [[id(array) for array in floats_of(tree)] for tree in (given, output)]
        values = copied((given, output))
        mx.eval(values)
        return cls(values[0], ids[0], values[1], ids[1], (given, output))


class SensitivitySweep:
    """One sweep over a model. One thread."""

    def __init__(
        self,
        model: StreamedModel,
        targets: Mapping[str, Target],
        widths: Sequence[int],
        vocabulary: int = 0,
    ) -> None:
        """targets: what to measure, by name. widths: in bits. vocabulary: 0 if not known."""
        self._model = model
        self._vocabulary = vocabulary
        self._targets = targets
        self._widths = widths
        self._sums: dict[str, dict[int, float]] = {}

    def run(self, rows: Sequence[Sequence[int]], tell: Tell) -> Harm:
        """Measure on rows of token ids, all of one length. tell: gets the share that is done.

        Modules that no row called are absent from the result.
        Raises QuantizeError where a layer cannot be differentiated.
        """
        key = mx.random.key(SEED)
        fitting = LOGITS_BYTES // (4 * max(self._vocabulary, 1) * len(rows[0]))
        together = min(max(fitting, 1), ROWS_TOGETHER)
        for start in range(0, len(rows), together):
            batch = mx.array([list(row) for row in rows[start : start + together]])
            key, own = mx.random.split(key)
            self._sweep(batch, own, within(tell, start / len(rows), batch.shape[0] / len(rows)))
        tokens = sum(map(len, rows))
        return {
            name: {bits: total / (2 * tokens) for bits, total in sums.items()}
            for name, sums in self._sums.items()
        }

    def _sweep(self, tokens: mx.array, key: mx.array, tell: Tell) -> None:
        model, depth = self._model, self._model.depth
        layers: list[_Layer] = []

        def record(index: int, *arguments: Any, **named: Any) -> Any:
            output = model.compute_layer(index, *arguments, **named)
            layers.append(_Layer.noted((arguments, named), output))
            tell((index + 1) / (3 * depth))
            return output

        logits = model.pass_through(record, tokens)
        said = mx.random.categorical(logits, key=key)
        mx.eval(said)
        behind = self._head(tokens, said, layers)
        owed: dict[int, mx.array] = {}
        slopes: list[list[mx.array]] = [[]] * depth
        for index in reversed(range(depth)):
            # A model that changes the hidden state between layers passes on another array.
            hidden, *rest = layers[index].output_ids
            due = [owed.pop(hidden, behind), *(owed.pop(array, None) for array in rest)]
            slopes[index] = self._layer(index, layers[index], due, owed)
            behind = slopes[index][0]
            tell((1 + 2 * (depth - index) / depth) / 3)
        self._front(tokens, layers, slopes)

    def _head(self, tokens: mx.array, said: mx.array, layers: list[_Layer]) -> mx.array:
        """Everything behind the layers; returns the gradient of the last hidden state."""
        last = len(layers) - 1

        def loss(hidden: mx.array) -> mx.array:
            def replay(index: int, *_arguments: Any, **_named: Any) -> Any:
                output = copied(layers[index].output)
                return with_floats(output, [hidden]) if index == last else output

            logits = self._model.pass_through(replay, tokens)
            chosen = mx.take_along_axis(logits, said[..., None], axis=-1)[..., 0]
            return (mx.logsumexp(logits, axis=-1) - chosen).sum()

        return self._differentiate(self._rest(), loss, floats_of(layers[last].output)[:1])[0]

    def _layer(
        self,
        index: int,
        layer: _Layer,
        due: Sequence[mx.array | None],
        owed: dict[int, mx.array],
    ) -> list[mx.array]:
        """One layer; returns the gradients of what it was given.

        due: gradients of what it returned. owed: gradients of arrays that earlier layers made,
        by identity, which grow: the hidden state, and keys and values that later layers share.
        """
        piece = self._model.read_layer(index)
        modules = {name: m for name, m in piece.modules() if name in self._targets}

        def along(*received: mx.array) -> mx.array:
            arguments, named = with_floats(copied(layer.given), received)
            returned = floats_of(piece.module(*arguments, **named))
            parts = [(a * b).sum() for a, b in zip(returned, due, strict=True) if b is not None]
            return sum(parts[1:], start=parts[0])

        piece.module.train()  # kernels without a gradient are used when not training only
        slopes = self._differentiate(modules, along, floats_of(layer.given))
        let_go(piece)
        for array, slope in zip(layer.given_ids, slopes, strict=True):
            owed[array] = owed[array] + slope if array in owed else slope
        return slopes

    def _front(self, tokens: mx.array, layers: list[_Layer], slopes: list[list[mx.array]]) -> None:
        """Everything in front of the layers, and what goes to each of them beside its input."""

        def along() -> mx.array:
            parts: list[mx.array] = []

            def replay(index: int, *arguments: Any, **named: Any) -> Any:
                given = floats_of((arguments, named))
                own = slice(1 if index else 0, None)  # later inputs come from other layers
                pairs = zip(given[own], slopes[index][own], strict=True)
                parts.extend((array * slope).sum() for array, slope in pairs)
                return copied(layers[index].output)

            self._model.pass_through(replay, tokens)
            return sum(parts[1:], start=parts[0])

        self._differentiate(self._rest(), along, [])

    def _rest(self) -> dict[str, Any]:
        rest = self._model.checkpoint.rest
        return {name: module for name, module in rest.modules() if name in self._targets}

    def _differentiate(
        self,
        modules: dict[str, Any],
        function: Callable[..., mx.array],
        at: Sequence[mx.array],
    ) -> list[mx.array]:
        """Note the harm of all widths of all modules; return the function's gradients."""
        with probing(modules) as probes:
            mx.eval(function(*at))
        calls = probes.calls
        mx.eval([call.output for call in calls])

        def nudged(x: list[mx.array], nudges: list[mx.array]) -> mx.array:
            with probing(modules, nudges):
                return function(*x)

        nudges = [mx.zeros_like(call.output) for call in calls]
        try:
            gradients, slopes = mx.grad(nudged, argnums=(0, 1))(list(at), nudges)
            mx.eval(gradients, slopes)
        except (ValueError, RuntimeError) as error:
            raise QuantizeError(
                f"a layer of this model cannot be differentiated ({error}), and mixed precision "
                "needs that: leave target_bpw out"
            ) from error
        for call, slope in zip(calls, slopes, strict=True):
            self._note(call, modules[call.name], slope)
        found: list[mx.array] = gradients
        return found

    def _note(self, call: ModuleCall, module: Any, slope: mx.array) -> None:
        sums = self._sums.setdefault(call.name, dict.fromkeys(self._widths, 0.0))
        exact = module.weight
        for bits in self._widths:
            module.weight = rounded(exact, bits, self._targets[call.name].group_size)
            change = call.repeat(module) - call.output
            sums[bits] += value_of((slope * change).sum(-1).square().sum())
        module.weight = exact


def floats_of(tree: Any) -> list[mx.array]:
    """The floating arrays within what a layer is given or returns; the hidden state is first."""
    flat: Any = tree_flatten(tree)
    return [leaf for _, leaf in flat if _is_float(leaf)]


def with_floats(tree: Any, arrays: Sequence[mx.array]) -> Any:
    """The same, with other arrays in the place of the first ones."""
    others = iter(arrays)
    return tree_map(lambda leaf: next(others, leaf) if _is_float(leaf) else leaf, tree)


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, mx.array) and mx.issubdtype(leaf.dtype, mx.floating)


def rounded(weight: mx.array, bits: int, group_size: int) -> mx.array:
    """What is left of weights that were quantized and made dense again."""
    packed, scales, offsets = mx.quantize(weight, group_size, bits)
    return mx.dequantize(packed, scales, offsets, group_size, bits)
