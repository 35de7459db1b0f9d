"""A service around the scripted runner, through the real engine."""

import threading
from collections.abc import Callable, Iterator

import pytest

from inference.constrainer import GrammarConstrainer
from inference.durability import Durability
from inference.embedding_service import Embedder
from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.plan import StepPlan
from inference.engine.scripted import ScriptedRunner
from inference.model_info import GenerationDefaults, ModelInfo
from inference.service import GenerationService, ServiceConfig
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer
from inference.text.tokenizer import Tokenizer

SILENT = GenerationDefaults()


@pytest.fixture
def make_service() -> Iterator[Callable[..., GenerationService]]:
    """Call with the answer's text, or a `ScriptedRunner` of its own; engines stop at the end.

    author, operator: sampling defaults of the model and of the command line.
    """
    engines: list[Engine] = []

    def make(
        answer: str = "Hello there",
        *,
        runner: ScriptedRunner | None = None,
        tokenizer: Tokenizer | None = None,
        author: GenerationDefaults = SILENT,
        operator: GenerationDefaults = SILENT,
        max_tokens: int | None = None,
        max_context: int = 1000,
        context_window: int = 1000,
        batch: int | None = None,
        embedder: Embedder | None = None,
        durability: Durability | None = None,
        **limits: int,
    ) -> GenerationService:
        played = runner or ScriptedRunner(lambda sequence: [*answer.encode(), END_OF_TURN])
        engine = Engine(lambda: played, EngineConfig(**limits))
        engine.start()
        engines.append(engine)
        tokenizer = tokenizer or ByteTokenizer()
        return GenerationService(
            engine=engine,
            tokenizer=tokenizer,
            model=ModelInfo("scripted", None, context_window, "scripted", author),
            config=ServiceConfig(
                defaults=operator,
                max_tokens=max_tokens,
                max_context=max_context,
                batch=engine.config.max_running if batch is None else batch,
            ),
            description=[("Model", "scripted")],
            constrainer=GrammarConstrainer(tokenizer, len(tokenizer.token_bytes)),
            embedder=embedder,
            durability=durability,
        )

    yield make
    for engine in engines:
        engine.stop()


class Gate:
    """Holds the engine's steps until it opens."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def hold(self, plan: StepPlan) -> None:
        assert self._event.wait(20), "nobody opened the gate"

    def open(self) -> None:
        self._event.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()  # a failed test must not leave the engine waiting
