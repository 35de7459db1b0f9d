from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mlx.core as mx
import pytest
from mlx import nn
from mlx_lm.tuner.lora import LoRALinear

from jobs.finetune.config import FinetuneConfig, Schedule
from jobs.finetune.data.encoder import Example
from jobs.finetune.training.batch import Batch
from jobs.finetune.training.evaluation import evaluate
from jobs.finetune.training.lora import add_lora
from jobs.finetune.training.objective import Sums
from jobs.finetune.training.optimizer import Optimizer
from jobs.finetune.training.order import Order
from jobs.finetune.training.schedule import LearningRate
from jobs.finetune.training.sft import Sft
from jobs.finetune.training.trainer import Trainer, Update, weights_of

Config = Callable[..., FinetuneConfig]
Load = Callable[..., Any]
EXAMPLES = [Example(tuple(range(first, first + 12)), 2) for first in range(0, 40, 10)]


@pytest.fixture
def compiling() -> Iterator[None]:
    """Compile after all, as on a GPU; the tests do without otherwise."""
    mx.enable_compile()
    yield
    mx.disable_compile()


@pytest.fixture
def make_trainer(load_tiny: Load, config: Config) -> Callable[..., Trainer]:
    def make(**fields: Any) -> Trainer:
        asked = config(iters=4, learning_rate=1e-2, target_modules=["q_proj"], **fields)
        model = load_tiny()
        mx.random.seed(0)
        add_lora(model, asked, {})
        objective = Sft(EXAMPLES)
        steps = asked.grad_accumulation_steps
        return Trainer(
            model,
            objective=objective,
            order=Order(objective.lengths, asked.batch_size, steps, asked.seed),
            optimizer=Optimizer(weights_of(model), weight_decay=0.01, ratio=1.0, clip=1.0),
            rate=LearningRate.of(asked),
            accumulation=steps,
            seed=asked.seed,
            compiled=False,
        )

    return make


class Squares:
    """An objective of few kernels, since each takes a second to build."""

    lengths = (1, 1)
    has_few_shapes = True

    def collate(self, rows: Sequence[int]) -> Batch:
        return Batch(mx.ones((2, 4)) * (1 + rows[0]), 2, 2)

    def loss(self, model: Any, arrays: Any) -> Sums:
        return model(arrays).square().sum(), {}


def test_a_compiled_step_does_the_same(compiling: None) -> None:
    def train(*, compiled: bool) -> list[Update]:
        mx.random.seed(0)
        model = nn.Sequential(LoRALinear(4, 4, r=2, dropout=0.5, scale=1.0))
        model.layers[0].linear.freeze()
        trainer = Trainer(
            model,
            objective=Squares(),
            order=Order(Squares.lengths, 1, 2, 0),
            optimizer=Optimizer(weights_of(model), weight_decay=0.1, ratio=1.0, clip=0.0),
            rate=LearningRate(0.1, 3, 0, Schedule.CONSTANT),
            accumulation=2,
            seed=0,
            compiled=compiled,
        )
        return list(trainer.updates())

    plain, compiled = train(compiled=False), train(compiled=True)

    assert [u.loss for u in compiled] == pytest.approx([u.loss for u in plain], rel=1e-5)
    assert [u.grad_norm for u in compiled] == pytest.approx([u.grad_norm for u in plain], rel=1e-4)
    assert compiled[0].loss != compiled[1].loss


def test_a_state_is_that_of_the_last_whole_update(make_trainer: Callable[..., Trainer]) -> None:
    trainer = make_trainer()
    states = [trainer.state]
    for _ in trainer.updates():
        states.append(trainer.state)

    assert [state.iteration for state in states] == [0, 1, 2, 3, 4]
    # Earlier ones still hold what they held.
    name = next(iter(states[0].weights)).replace("lora_a", "lora_b")
    assert not states[0].weights[name].any().item()
    assert not mx.array_equal(states[1].weights[name], states[2].weights[name]).item()


def test_a_trainer_goes_on_from_any_state(make_trainer: Callable[..., Trainer]) -> None:
    whole = make_trainer(lora_dropout=0.2)
    updates, states = [], []
    for update in whole.updates():
        updates.append(update)
        states.append(whole.state)

    other = make_trainer(lora_dropout=0.2)
    other.restore(states[1])
    again = list(other.updates())

    assert [u.iteration for u in again] == [3, 4]
    assert [u.loss for u in again] == [u.loss for u in updates[2:]]


def test_an_evaluation_weighs_every_token_alike(load_tiny: Load) -> None:
    model = load_tiny()
    objective = Sft([*EXAMPLES, Example(tuple(range(50, 90)), 0)])

    alone, together = (evaluate(model, objective, size).loss for size in (1, 5))

    assert alone == pytest.approx(together, rel=1e-5)
    assert model.training
