"""One generation under way: engine outputs in, events out."""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

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
    Started,
    TextDelta,
    TokenLogprobs,
    Usage,
)
from inference.text.detokenizer import Detokenizer
from inference.text.stop import StopMatcher
from inference.text.tokenizer import Tokenizer
from inference.trace import Phase, Trace

MAX_DELTA = 16_384
"""Characters after which a text delta is closed, however much more is waiting."""


class Generation:
    """An admitted request, as an asynchronous iterable of events, read once.

    Whoever holds one must call `close` in the end, on every path: it takes the sequence
    out of the engine if it is still there. `async with` does so.
    """

    def __init__(
        self,
        *,
        prompt_tokens: int,
        tokenizer: Tokenizer,
        stop: Sequence[str],
        stream: TokenStream,
        abort: Callable[[FinishReason | None], None],
        trace: Trace | None = None,
    ) -> None:
        self._prompt_tokens = prompt_tokens
        self._tokenizer = tokenizer
        self._detokenizer = Detokenizer(
            tokenizer.token_bytes, strips_leading_space=tokenizer.strips_leading_space
        )
        self._stops = StopMatcher(stop)
        self._stream = stream
        self._abort = abort
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
                    yield event
                if nudged:
                    yield Idle()

    def _advance(self, outputs: Sequence[TokenOutput]) -> Iterator[Event]:
        """Turn what is waiting into as few text deltas as may be, and at most one ending.

        Lazily: for a reader that lags far, most of it stays token ids until it is wanted.
        """
        text, ending = "", None
        for output in outputs:
            text += self._read(output)
            ending = self._ending(output)
            if ending is not None:
                break
            if len(text) >= MAX_DELTA:
                yield TextDelta(text)
                text = ""
        if text:
            yield TextDelta(text)
        if ending is not None:
            yield ending

    def _read(self, output: TokenOutput) -> str:
        """Return the text of an output, up to the token that completes a stop string."""
        text = ""
        for index, token_id in enumerate(output.token_ids):
            self._completion_tokens += 1
            if output.scores:
                scores = output.scores[index]
                self._logprobs.append(token_logprobs(self._tokenizer, token_id, scores))
            if token_id not in self._tokenizer.stop_token_ids:
                text += self._stops.add(self._detokenizer.add((token_id,)))
                if self._stops.matched is not None:
                    return text
        if output.finish_reason is not None:
            text += self._stops.add(self._detokenizer.finish())
            if self._stops.matched is None:
                text += self._stops.finish()
        return text

    def _end(self) -> None:
        self._done = True
        if self._trace is not None:
            self._trace.end(Phase.COMPLETION)

    def _ending(self, output: TokenOutput) -> Event | None:
        if output.error is not None:
            self._end()
            if self._trace is not None:
                self._trace.fail()
            return Failed(GenerationFailed(f"generation failed: {output.error}"))
        if self._stops.matched is not None:
            reason = FinishReason.STOP
            if output.finish_reason is None:
                self._abort(reason)  # the engine does not know yet
        elif output.finish_reason is not None:
            reason = output.finish_reason
        else:
            return None
        self._end()
        usage = Usage(
            self._prompt_tokens, self._completion_tokens, output.cached_tokens, output.lane
        )
        return Finished(reason, usage, tuple(self._logprobs))


def token_logprobs(tokenizer: Tokenizer, token_id: int, scores: TokenScores) -> TokenLogprobs:
    """Spell a generated token and its alternatives as the vocabulary does."""

    def candidate(token_id: int, logprob: float) -> Candidate:
        return Candidate(token_id, tokenizer.piece(token_id), logprob)

    top = tuple(candidate(*scored) for scored in scores.top)
    return TokenLogprobs(candidate(token_id, scores.chosen), top)
