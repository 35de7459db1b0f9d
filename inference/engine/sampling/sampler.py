"""From logits to tokens, for all rows of a batch at once.

The order is the wire contract's: logit bias, repetition, presence and frequency penalties,
the grammar's mask, log-softmax (what callers see as logprobs), top-p, min-p, XTC, top-k,
temperature, draw.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from inference.engine.grammar.bitmask import apply_bitmask
from inference.engine.grammar.matcher import Mask
from inference.engine.sampling import filters, processors
from inference.engine.sampling.layout import LARGEST, column
from inference.engine.sampling.noise import gumbel_rows, uniform_rows
from inference.engine.sampling.scores import PendingScores
from inference.engine.sampling.tone_curve import ToneCurves
from inference.engine.sampling.transfer_curves import TransferCurves
from inference.request import SamplingParams

# Above this many candidates, finding them is no cheaper than sorting the vocabulary.
_MAX_PARTIAL_SORT = 1024


@dataclass(frozen=True, slots=True)
class SamplingRow:
    """One row's settings.

    seen: returns its tokens so far but for the newest, which only the device may know;
        called only if a penalty needs them.
    logprobs: alternatives to report, None for no report.
    """

    params: SamplingParams
    seen: Callable[[], Sequence[int]] = tuple
    logprobs: int | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """The outcome of a step, not yet computed. tokens: (B,) uint32."""

    tokens: mx.array
    scores: PendingScores | None = None

    @property
    def arrays(self) -> list[mx.array]:
        return [self.tokens, *(self.scores.arrays if self.scores else [])]


class Sampler:
    """Draws for one set of rows; a new one is made whenever rows join or leave.

    exempt: token ids that XTC never drops.
    """

    def __init__(
        self, rows: Sequence[SamplingRow], vocab_size: int, exempt: Sequence[int] = ()
    ) -> None:
        params = [row.params for row in rows]
        self._seeds = [p.seed for p in params]
        self._draws = any(p.temperature > 0 for p in params)
        self._temperature = column([_temperature(p) for p in params])
        self._processors = _Processors.of(rows)
        self._filters = _Filters.of([_filtering(p) for p in params], vocab_size, exempt)
        self._curves = ToneCurves(params) if any(p.tone_curve for p in params) else None
        drawn = any(p.transfer_curve for p in params)
        self._transfers = TransferCurves(params) if drawn else None
        self._scored = [(i, row.logprobs) for i, row in enumerate(rows) if row.logprobs is not None]

    def draw(
        self,
        logits: mx.array,
        steps: Sequence[int],
        newest: mx.array,
        masks: Mask | None = None,
    ) -> Draw:
        """Draw one token for each row.

        logits: (B, V), any float type.
        steps: per row, which of its tokens this is; with the seed it fixes the draw.
        newest: (B,) the tokens that these logits follow. Call once for each step, in order.
        masks: (B, words) the tokens that grammars allow; None where no row has one.
        """
        if self._processors is not None:
            logits = self._processors.apply(logits.astype(mx.float32), newest)
        if masks is not None:
            logits = apply_bitmask(logits, masks)
        if not (self._draws or self._scored):
            return Draw(mx.argmax(logits, axis=-1))
        logprobs = logits.astype(mx.float32)
        logprobs = logprobs - mx.logsumexp(logprobs, axis=-1, keepdims=True)
        tokens = mx.argmax(logits, axis=-1)
        if self._draws:
            drawn = self._draw(logprobs, steps)
            tokens = mx.where(self._temperature[:, 0] > 0, drawn, tokens)
        if not self._scored:
            return Draw(tokens)
        indices, counts = zip(*self._scored, strict=True)
        return Draw(tokens, PendingScores.of(logprobs, tokens, indices, counts))

    def _draw(self, logprobs: mx.array, steps: Sequence[int]) -> mx.array:
        # A temperature of 0 divides by 1 here and is overruled by the caller.
        temperature = mx.where(self._temperature > 0, self._temperature, 1.0)
        scores = logprobs
        if self._filters is not None:
            scores = self._filters.apply(logprobs, self._seeds, steps)
        scores = scores / temperature
        if self._curves is not None:
            bent = self._curves.apply(logprobs, temperature)
            scores = mx.where(self._curves.bent, bent, scores)
        if self._transfers is not None:
            scores = self._transfers.apply(logprobs, scores)
        noise = gumbel_rows(self._seeds, steps, logprobs.shape[-1])
        return mx.argmax(scores + noise, axis=-1)


def _temperature(params: SamplingParams) -> float:
    """Return a row's temperature, large enough to divide by, or 0."""
    return max(params.temperature, 1 / LARGEST) if params.temperature > 0 else 0.0


def _filtering(params: SamplingParams) -> SamplingParams:
    """Return what the filters need of a row's settings; under a tone curve, nothing."""
    return params if params.tone_curve is None else SamplingParams()


class _Processors:
    """Bias and penalties of all rows; absent stages are None."""

    @classmethod
    def of(cls, rows: Sequence[SamplingRow]) -> "_Processors | None":
        made = cls(rows)
        return made if made._bias or made._history else None

    def __init__(self, rows: Sequence[SamplingRow]) -> None:
        params = [row.params for row in rows]
        self._bias = (
            processors.bias_rows([p.logit_bias for p in params])
            if any(p.logit_bias for p in params)
            else None
        )
        self._repetition = _stage(
            [(max(p.repetition_penalty, 1 / LARGEST), p.repetition_context_size) for p in params],
            neutral=1.0,
        )
        self._presence = _stage(
            [(p.presence_penalty, p.presence_context_size) for p in params], neutral=0.0
        )
        self._frequency = _stage(
            [(p.frequency_penalty, p.frequency_context_size) for p in params], neutral=0.0
        )
        stages = [s for s in (self._repetition, self._presence, self._frequency) if s]
        unlimited = any(stage.longest is None for stage in stages)
        limit = None if unlimited else max((s.longest or 0 for s in stages), default=0)
        self._history = processors.History([row.seen() for row in rows], limit) if stages else None

    def apply(self, logits: mx.array, newest: mx.array) -> mx.array:
        if self._bias is not None:
            logits = processors.apply_bias(logits, *self._bias)
        if self._history is not None:
            logits = self._penalize(logits, self._history, newest)
        return mx.clip(logits, -LARGEST, LARGEST)

    def _penalize(
        self, logits: mx.array, history: processors.History, newest: mx.array
    ) -> mx.array:
        history.append(newest)
        if self._repetition is not None:
            ids, _ = history.window(self._repetition.sizes)
            logits = processors.apply_repetition(logits, ids, self._repetition.penalty)
        if self._presence is not None:
            ids, _ = history.window(self._presence.sizes)
            logits = processors.apply_presence(logits, ids, self._presence.penalty)
        if self._frequency is not None:
            ids, seen = history.window(self._frequency.sizes)
            logits = processors.apply_frequency(logits, ids, seen, self._frequency.penalty)
        return logits


@dataclass(frozen=True, slots=True)
class _Stage:
    """A penalty of all rows. penalty, sizes: (B, 1); longest: window, None for unlimited."""

    penalty: mx.array
    sizes: mx.array
    longest: int | None


def _stage(rows: Sequence[tuple[float, int]], *, neutral: float) -> _Stage | None:
    """Lay out (penalty, window) of each row; None when every row is neutral."""
    windows = [window for penalty, window in rows if penalty != neutral]
    if not windows:
        return None
    sizes = mx.array([[window] for _, window in rows], dtype=mx.int32)
    longest = None if 0 in windows else max(windows)
    return _Stage(column([penalty for penalty, _ in rows]), sizes, longest)


class _Filters:
    """The filters of all rows, as far as any row uses them."""

    @classmethod
    def of(
        cls, params: Sequence[SamplingParams], vocab_size: int, exempt: Sequence[int]
    ) -> "_Filters | None":
        made = cls(params, vocab_size, exempt)
        return made if made._top_p or made._top_k or made._min_p or made._xtc else None

    def __init__(
        self, params: Sequence[SamplingParams], vocab_size: int, exempt: Sequence[int]
    ) -> None:
        top_p = [p.top_p if 0 < p.top_p < 1 else 1.0 for p in params]
        top_k = [p.top_k if 0 < p.top_k < vocab_size else vocab_size for p in params]
        xtc = [p.xtc_probability if p.xtc_threshold < 1 else 0.0 for p in params]
        # A row is short when its top-k bounds what has to be sorted.
        short = [k <= _MAX_PARTIAL_SORT and not x for k, x in zip(top_k, xtc, strict=True)]
        self._top_p = any(p < 1 for p in top_p)
        self._top_k = any(k < vocab_size for k in top_k)
        self._min_p = any(p.min_p > 0 for p in params)
        self._xtc = any(xtc)
        self._p, self._k = column(top_p), mx.array([[k] for k in top_k], dtype=mx.int32)
        self._log_min_p = column([math.log(p.min_p) if p.min_p > 0 else -math.inf for p in params])
        self._xtc_probability = column(xtc)
        self._xtc_threshold = column([p.xtc_threshold for p in params])
        self._exempt = mx.array(sorted(exempt), dtype=mx.int32) if exempt else None
        self._short = mx.array([[s] for s in short])
        self._num_short = max([k for k, s in zip(top_k, short, strict=True) if s], default=0)
        # Rows that the short way does not serve: their top-p, or their top-k, needs a sort.
        rest: list[Any] = [i for i, s in enumerate(short) if not s]
        self._sorts_for_p = any(top_p[i] < 1 for i in rest)
        self._sorts_for_k = any(top_k[i] < vocab_size for i in rest)

    def apply(self, logprobs: mx.array, seeds: Sequence[int], steps: Sequence[int]) -> mx.array:
        logprobs = filters.keep_from(logprobs, self._lower_threshold(logprobs))
        if self._xtc:
            acts = uniform_rows(seeds, steps) < self._xtc_probability
            logprobs = filters.apply_xtc(logprobs, self._xtc_threshold, acts, self._exempt)
        if self._sorts_for_k:
            threshold = filters.top_k_threshold(mx.sort(logprobs, axis=-1), self._k)
            logprobs = filters.keep_from(logprobs, mx.where(self._short, -mx.inf, threshold))
        return logprobs

    def _lower_threshold(self, logprobs: mx.array) -> mx.array:
        """Combine all that only cuts from below; (B, 1)."""
        threshold = mx.full((logprobs.shape[0], 1), -mx.inf)
        if self._sorts_for_p:
            by_p = filters.top_p_threshold(mx.sort(logprobs, axis=-1), self._p)
            threshold = mx.where(self._short, threshold, by_p)
        if self._num_short:
            likeliest = mx.sort(mx.topk(logprobs, self._num_short, axis=-1), axis=-1)
            top_k = mx.minimum(self._k, self._num_short)
            by_both = filters.top_p_k_threshold(likeliest, self._p, top_k)
            threshold = mx.where(self._short, by_both, threshold)
        if self._min_p:
            by_min_p = filters.min_p_threshold(logprobs, self._log_min_p)
            threshold = mx.maximum(threshold, by_min_p)
        return threshold
