"""Prompts in, histograms of the next token out: borrows the engine, as embeddings do."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from inference.engine.engine import Engine
from inference.errors import ContextOverBudget, InvalidRequest
from inference.preparation import Preparation
from inference.request import ChatPrompt
from inference.text.prompt import TokenizedPrompt


class Reader(Protocol):
    """Reads what the model expects after tokens. Thread: engine only."""

    def read(
        self, tokens: Sequence[int], check: Callable[[], None], adapted_model: Any = None
    ) -> tuple[list[int], int]: ...


@dataclass(frozen=True, slots=True)
class Signal:
    """bins: tokens by likelihood, from one in a million to certain. vocab: all tokens."""

    bins: list[int]
    vocab: int


class _CallerLeft(Exception):
    """Ends work that nobody waits for any more."""


class CurveService:
    """build: makes token ids of a prompt. reader: None for a model without weights.

    adapt: returns the model with the adapters that count where none are chosen, None for none.
    max_tokens: of a prompt.
    """

    def __init__(
        self,
        *,
        engine: Engine,
        preparation: Preparation,
        build: Callable[[ChatPrompt], TokenizedPrompt],
        reader: Reader | None,
        adapt: Callable[[], Any],
        max_tokens: int,
    ) -> None:
        self._engine = engine
        self._preparation = preparation
        self._build = build
        self._reader = reader
        self._adapt = adapt
        self._max_tokens = max_tokens

    async def signal(self, prompt: ChatPrompt) -> Signal:
        """Return what the model expects after a prompt, once all that runs has ended.

        Raises InvalidRequest (ContextOverBudget among them), QueueFull, EngineNotRunning, and
        what the model raises.
        """
        reader = self._reader
        if reader is None:
            raise InvalidRequest("the served model has no weights to look into")
        tokens = (await self._preparation.run(self._build, prompt)).token_ids
        if len(tokens) > self._max_tokens:
            raise ContextOverBudget(
                f"prompt is {len(tokens)} tokens but the context ends at {self._max_tokens}; "
                "shorten it",
                prompt_tokens=len(tokens),
                limit=self._max_tokens,
            )
        adapted_model = self._adapt()
        left = threading.Event()

        def check() -> None:
            if left.is_set():
                raise _CallerLeft

        try:
            bins, vocab = await self._engine.call(lambda: reader.read(tokens, check, adapted_model))
        finally:
            left.set()
        return Signal(bins, vocab)
