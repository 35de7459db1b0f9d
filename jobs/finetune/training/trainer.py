"""The training loop: batches in, updated weights out, one update at a time.

A loop of our own on mlx-lm's layers, for what mlx-lm's loop does not do: updates that weigh every
token (or pair) alike however rows are spread over batches, a look at loss and gradient before
they are used, and going on from a checkpoint as if nothing had happened.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.nn.utils import value_and_grad
from mlx.utils import tree_flatten, tree_unflatten

from jobs.errors import JobError
from jobs.finetune.training.objective import Objective
from jobs.finetune.training.optimizer import Optimizer, Weights
from jobs.finetune.training.order import Order
from jobs.finetune.training.schedule import LearningRate


class Diverged(JobError):
    """A loss or a gradient is no number. The weights are as the last good update left them."""


@dataclass(frozen=True, slots=True)
class Update:
    """What one update of the weights saw.

    iteration: the last one of it, counted from 1. loss, figures: sums over `count` tokens or
    pairs. tokens: read. seconds: it took.
    """

    iteration: int
    loss: float
    figures: dict[str, float]
    count: int
    tokens: int
    seconds: float
    grad_norm: float
    learning_rate: float


@dataclass(frozen=True, slots=True)
class State:
    """Everything that an update changes, after whole updates only. iteration: the last one."""

    iteration: int
    weights: Weights
    moments: Weights


class Trainer:
    """Trains the weights of a model that are not frozen. Thread: the one that loaded it.

    accumulation: iterations to an update. seed: what is drawn at random in an iteration follows
    from it and the iteration's number. compiled: whether steps may be traced once, then replayed.
    """

    def __init__(
        self,
        model: Any,
        *,
        objective: Objective,
        order: Order,
        optimizer: Optimizer,
        rate: LearningRate,
        accumulation: int,
        seed: int,
        compiled: bool,
    ) -> None:
        self.model = model
        self.optimizer = optimizer
        self.state = State(0, weights_of(model), optimizer.arrays())
        """Replaced by every update as a whole, so that an interruption finds nothing half done."""
        self._objective = objective
        self._order = order
        self._rate = rate
        self._accumulation = accumulation
        self._seed = seed
        self._differentiate, self._apply = self._steps(compiled)

    @property
    def iterations(self) -> int:
        """How many there will be in all."""
        return self._rate.updates * self._accumulation

    def updates(self) -> Iterator[Update]:
        """Run the updates that are left, and yield each once it is done.

        Raises Diverged before a bad update is applied.
        """
        self.model.train()
        for number in range(self.state.iteration // self._accumulation, self._rate.updates):
            yield self._update(number)

    def restore(self, state: State) -> None:
        """Go on from a state, which may come from a file."""
        set_weights(self.model, state.weights)
        self.optimizer.restore(state.moments)
        self.state = state

    def _update(self, number: int) -> Update:
        started = time.perf_counter()
        gradients: Weights | None = None
        loss, count, tokens = 0.0, 0, 0
        figures: dict[str, float] = {}
        for iteration in range(number * self._accumulation, (number + 1) * self._accumulation):
            batch = self._objective.collate(self._order.rows(iteration))
            mx.random.seed(_mixed(self._seed, iteration))
            (part, more), new = self._differentiate(batch.arrays)
            if gradients is not None:
                new = {path: new[path] + gradient for path, gradient in gradients.items()}
            gradients = new
            mx.eval(part, more, gradients)
            loss += _checked(part, "loss", iteration + 1)
            figures = {name: figures.get(name, 0.0) + more[name].item() for name in more}
            count += batch.count
            tokens += batch.tokens
        assert gradients is not None
        rate = self._rate.at(number)
        self.optimizer.set_learning_rate(rate)
        iteration = (number + 1) * self._accumulation
        gradients = {path: gradient / count for path, gradient in gradients.items()}
        norm = _checked(_norm(gradients), "gradient", iteration)
        weights = self._apply(self.state.weights, gradients)
        moments = self.optimizer.arrays()
        mx.eval(weights, moments)
        set_weights(self.model, weights)
        self.state = State(iteration, weights, moments)
        return Update(
            iteration=iteration,
            loss=loss,
            figures=figures,
            count=count,
            tokens=tokens,
            seconds=time.perf_counter() - started,
            grad_norm=norm,
            learning_rate=rate,
        )

    def _steps(self, compiled: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
        def objective(arrays: Any) -> Any:
            return self._objective.loss(self.model, arrays)

        differentiated = value_and_grad(self.model, objective)

        def differentiate(arrays: Any) -> Any:
            values, gradients = differentiated(arrays)
            return values, dict(tree_flatten(gradients))

        if not compiled:
            return differentiate, self.optimizer.updated
        # Tracing leaves its own arrays in whatever is written to, unless that is an output.
        read, state = [self.model.state, mx.random.state], self.optimizer.state
        return (
            mx.compile(differentiate, inputs=read, outputs=read),
            mx.compile(self.optimizer.updated, inputs=state, outputs=state),
        )


def weights_of(model: Any) -> Weights:
    """The weights that are trained, by path."""
    return dict(tree_flatten(model.trainable_parameters()))


def set_weights(model: Any, weights: Weights) -> None:
    model.update(tree_unflatten(list(weights.items())))


def _mixed(seed: int, iteration: int) -> int:
    return int(np.random.SeedSequence([seed, iteration]).generate_state(1)[0])


def _norm(gradients: Weights) -> mx.array:
    return mx.sqrt(mx.stack([gradient.square().sum() for gradient in gradients.values()]).sum())


def _checked(array: mx.array, what: str, iteration: int) -> float:
    value: Any = array.item()
    if not math.isfinite(value):
        raise Diverged(f"the {what} is {value} at iteration {iteration:,}")
    return float(value)
