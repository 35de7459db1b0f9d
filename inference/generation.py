"""One generation under way: engine outputs in, events out."""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

from inference.engine.plan import TokenOutput, TokenScores
from inference.engine.stream import TokenStream
from inference.errors import GenerationFailed
from inference.events import (
    Candidate,
    Event,
    Failed,
    Finished,
    FinishReason,
    Idle,
    ReasoningDelta,
    Started,
    TextDelta,
    TokenLogprobs,
    ToolCalled,
    Usage,
)
from inference.text.answer_reader import AnswerReader
from inference.text.tokenizer import Tokenizer
from inference.trace import Phase, Trace

MAX_DELTA = 16_384
"""Characters after which a text delta is closed, however much more is waiting."""


class Generation:
    """An admitted request, as an asynchronous iterable of events, read once.

    Whoever holds one must call `close` in the end, on every path: it takes the sequence
    out of the engine if it is still there. `async with` does so.

    model_id: of the model that answers, which need not be the one served when it was asked.
    """

    def __init__(
        self,
        *,
        prompt_tokens: int,
        tokenizer: Tokenizer,
        reader: AnswerReader,
        stream: TokenStream,
        abort: Callable[[FinishReason | None], None],
        on_call: Callable[[ToolCalled], None] = lambda call: None,
        warnings: tuple[str, ...] = (),
        trace: Trace | None = None,
        model_id: str = "",
    ) -> None:
        self.model_id = model_id
        self._prompt_tokens = prompt_tokens
        self._tokenizer = tokenizer
        self._reader = reader
        self._stream = stream
        self._abort = abort
        self._on_call = on_call
        self.warnings = warnings
        self._trace = trace
        self._completion_tokens = 0
        self._logprobs: list[TokenLogprobs] = []
        self._nudged = False
        self._done = False

    async def __aenter__(self) -> "Generation":
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the generation if it still runs. Any thread; harmless when repeated."""
        if not self._done:
            self._end()
            self._abort(None)

    def nudge(self) -> None:
        """Have `Idle` yielded if there is nothing else to tell now. Thread: the reader's loop."""
        self._nudged = True
        self._stream.nudge()

    async def __aiter__(self) -> AsyncIterator[Event]:
        with contextlib.closing(self):
            yield Started(self._prompt_tokens)
            while not self._done:
                outputs = await self._stream.next_outputs()
                nudged, self._nudged = self._nudged, False
                for event in self._advance(outputs):
                    nudged = False
                    if isinstance(event, ToolCalled):
                        self._on_call(event)
                    yield event
                if nudged:
                    yield Idle()

    def _advance(self, outputs: Sequence[TokenOutput]) -> Iterator[Event]:
        """Turn what is waiting into as few deltas as may be, and at most one ending.

        Lazily: for a reader that lags far, most of it stays token ids until it is wanted.
        """
        yield from _joined(self._read(outputs))
        if outputs and (ending := self._ending(outputs[-1])) is not None:
            yield ending

    def _read(self, outputs: Sequence[TokenOutput]) -> Iterator[Event]:
        """Yield what the outputs tell, up to the token that completes a stop string."""
        for output in outputs:
            for index, token_id in enumerate(output.token_ids):
                self._completion_tokens += 1
                if output.scores:
                    scores = output.scores[index]
                    self._logprobs.append(token_logprobs(self._tokenizer, token_id, scores))
                yield from self._reader.add(token_id)
                if self._reader.stop_string is not None:
                    return
            if output.finish_reason is not None:
                yield from self._reader.finish(output.finish_reason)

    def _end(self) -> None:
        self._done = True
        if self._trace is not None:
            self._trace.end(Phase.COMPLETION)

    def _ending(self, last: TokenOutput) -> Event | None:
        stopped = self._reader.stop_string is not None
        if last.error is not None and not stopped:
            self._end()
            if self._trace is not None:
                self._trace.fail()
            return Failed(GenerationFailed(f"generation failed: {last.error}"))
        if last.finish_reason is None and not stopped:
            return None
        if last.finish_reason is None:
            self._abort(FinishReason.STOP)  # the engine does not know yet
        self._end()
        usage = Usage(
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            cached_tokens=last.cached_tokens,
            lane=last.lane,
            reasoning_tokens=self._reader.reasoning_tokens,
        )
        reason = self._reader.reason(last.finish_reason or FinishReason.STOP)
        return Finished(reason, usage, tuple(self._logprobs), self._reader.stop_string)


def _joined(events: Iterable[Event]) -> Iterator[Event]:
    """Join deltas of a kind that follow each other, up to a size."""
    held: TextDelta | ReasoningDelta | None = None
    for event in events:
        if held is not None and type(event) is type(held) and len(held.text) < MAX_DELTA:
            held = type(held)(held.text + event.text)
            continue
        if held is not None:
            yield held
        held = event if isinstance(event, TextDelta | ReasoningDelta) else None
        if held is None:
            yield event
    if held is not None:
        yield held


def token_logprobs(tokenizer: Tokenizer, token_id: int, scores: TokenScores) -> TokenLogprobs:
    """Spell a generated token and its alternatives as the vocabulary does."""

    def candidate(token_id: int, logprob: float) -> Candidate:
        return Candidate(token_id, tokenizer.piece(token_id), logprob)

    top = tuple(candidate(*scored) for scored in scores.top)
    return TokenLogprobs(candidate(token_id, scores.chosen), top)
