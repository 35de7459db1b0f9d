"""Texts in, vectors out: tokenises off the event loop and borrows the engine for the rest."""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from inference.embedding import EmbeddingRequest, Embeddings
from inference.engine.engine import Engine
from inference.errors import ContextOverBudget, GenerationFailed, InvalidRequest
from inference.preparation import Preparation
from inference.text.rendering import replace_lone_surrogates
from inference.text.tokenizer import Tokenizer

logger = logging.getLogger(__name__)


class Embedder(Protocol):
    """Turns token ids into vectors. Thread: engine only.

    dimensions: how many numbers a whole vector has.
    """

    @property
    def dimensions(self) -> int: ...

    def embed(
        self, rows: Sequence[Sequence[int]], dimensions: int, check: Callable[[], None]
    ) -> Sequence[Sequence[float]]:
        """Return a vector of unit length for each row, cut to `dimensions` numbers.

        rows: token ids, at least one each.
        check: called now and then; what it raises ends the work.
        """


class _CallerLeft(Exception):
    """Ends work that nobody waits for any more."""


class EmbeddingService:
    """Embeds with the one model of the process. Use it on one event loop.

    max_tokens: of one text; memory_bound: whether memory, not the model, ends there.
    """

    def __init__(
        self,
        *,
        engine: Engine,
        tokenizer: Tokenizer,
        embedder: Embedder,
        preparation: Preparation,
        max_tokens: int,
        memory_bound: bool,
    ) -> None:
        self._engine = engine
        self._tokenizer = tokenizer
        self._embedder = embedder
        self._preparation = preparation
        self._max_tokens = max_tokens
        self._memory_bound = memory_bound

    async def embed(self, request: EmbeddingRequest) -> Embeddings:
        """Return the vectors of all texts, once every generation that runs has ended.

        Raises InvalidRequest (ContextOverBudget among them), QueueFull, EngineNotRunning,
        GenerationFailed.
        """
        dimensions = self._choose_dimensions(request)
        rows = await self._preparation.run(self._tokenize, request)
        left = threading.Event()

        def check() -> None:
            if left.is_set():
                raise _CallerLeft

        try:
            vectors = await self._engine.call(lambda: self._run(rows, dimensions, check))
        finally:
            left.set()
        return Embeddings(vectors, sum(map(len, rows)))

    def _choose_dimensions(self, request: EmbeddingRequest) -> int:
        most = self._embedder.dimensions
        if request.dimensions is None:
            return most
        if request.dimensions > most:
            raise InvalidRequest(
                f"dimensions is {request.dimensions}, but this model's vectors have {most}; "
                "ask for no more, or leave it out",
                "dimensions",
            )
        return request.dimensions

    def _tokenize(self, request: EmbeddingRequest) -> list[list[int]]:
        """Tokenise as the tokenizer itself does, with what it adds at the end."""
        lead = "" if request.instruction is None else f"Instruct: {request.instruction}\nQuery:"
        rows = []
        for index, text in enumerate(request.texts):
            whole = replace_lone_surrogates(lead + text)
            row = self._tokenizer.encode(whole, add_special_tokens=True)
            self._check_length(len(row), "input" if len(request.texts) == 1 else f"input[{index}]")
            rows.append(row)
        return rows

    def _check_length(self, length: int, name: str) -> None:
        if length == 0:
            raise InvalidRequest(f"{name} has no tokens; send some text", "input")
        if length > self._max_tokens:
            bound, remedy = (
                ("the memory budget caps safe context", "or raise --memory-budget")
                if self._memory_bound
                else ("the model's context ends", "or embed its parts")
            )
            raise ContextOverBudget(
                f"{name} is {length} tokens but {bound} at {self._max_tokens}; shorten it {remedy}",
                "input",
                prompt_tokens=length,
                limit=self._max_tokens,
            )

    def _run(
        self, rows: list[list[int]], dimensions: int, check: Callable[[], None]
    ) -> Sequence[Sequence[float]]:
        """Embed. Thread: engine."""
        try:
            return self._embedder.embed(rows, dimensions, check)
        except _CallerLeft:
            return []
        except Exception as error:
            logger.exception("an embedding request failed; the engine goes on")
            raise GenerationFailed(f"{type(error).__name__}: {error}") from error
