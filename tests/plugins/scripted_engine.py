"""An engine over a scripted runner, and what tests do with its streams."""

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.plan import StepPlan, TokenOutput
from inference.engine.runner import Runner
from inference.engine.scripted import ScriptedRunner
from inference.engine.sequence import Sequence
from inference.engine.stream import TokenStream
from inference.request import SamplingParams

PATIENCE = 5.0  # seconds; the longest any event is waited for
STOP = 0

_numbers = itertools.count()


def make_sequence(
    name: str = "", *, prompt: int = 4, max_tokens: int = 3, **fields: Any
) -> Sequence:
    """A sequence of `prompt` tokens that ends at the token 0."""
    return Sequence(
        name or f"s{next(_numbers)}",
        list(range(1, prompt + 1)),
        SamplingParams(),
        max_tokens,
        frozenset({STOP}),
        **fields,
    )


def make_runner(answer=range(7, 10**4), **hooks) -> ScriptedRunner:
    """A runner that answers 7, 8, 9, ... with hooks as given."""
    return ScriptedRunner(lambda sequence: answer, **hooks)


async def read(stream: TokenStream, patience: float = PATIENCE) -> list[TokenOutput]:
    """Read a stream to its end."""
    outputs: list[TokenOutput] = []
    async with asyncio.timeout(patience):
        while not outputs or (outputs[-1].finish_reason is None and not outputs[-1].error):
            outputs += await stream.next_outputs()
    return outputs


def tokens(outputs: list[TokenOutput]) -> list[int]:
    return [token for output in outputs for token in output.token_ids]


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds that another thread brings about."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(0.001)


def is_empty(engine: Engine) -> bool:
    """Tell whether nothing of any sequence is left in the engine."""
    return engine.num_under_way == 0 and engine._scheduler.is_idle and engine._in_flight is None


class StepGate:
    """A runner's `on_step` that holds the engine at the first plan a test chooses.

    hold: tells which plans; `wait` returns when one came, `open` lets go for good.
    """

    def __init__(self) -> None:
        self.hold: Callable[[StepPlan], bool] = lambda plan: False
        self._reached, self._opened = threading.Event(), threading.Event()

    def __call__(self, plan: StepPlan) -> None:
        if not self._opened.is_set() and self.hold(plan):
            self._reached.set()
            assert self._opened.wait(PATIENCE)

    async def wait(self) -> None:
        assert await asyncio.to_thread(self._reached.wait, PATIENCE)

    def open(self) -> None:
        self._opened.set()


@pytest.fixture
def step_gate() -> StepGate:
    return StepGate()


@pytest.fixture
def start_engine_with() -> Iterator[Callable[..., Engine]]:
    """Start an engine that loads its runner so, with any limits; it is stopped after the test."""
    engines = []

    def start(load: Callable[[], Runner], **limits: int) -> Engine:
        engine = Engine(load, EngineConfig(**limits))
        engines.append(engine)
        engine.start()
        return engine

    yield start
    for engine in engines:
        engine.stop(PATIENCE)


@pytest.fixture
def start_engine(start_engine_with: Callable[..., Engine]) -> Callable[..., Engine]:
    """Start an engine over a runner, with any limits."""
    return lambda runner, **limits: start_engine_with(lambda: runner, **limits)
