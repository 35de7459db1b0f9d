"""Executes step plans with a real model.

    launch:  rows that left -> prefix cache, rows that are ready -> batch
             one forward pass for all decoding rows, one for each prompt chunk
    collect: the sampled tokens, read in one transfer

Decodes come first in a step: on an in-order device their tokens are ready before the
prompt chunks are computed.
"""

import logging
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from inference.engine.cache.batch import BatchCache
from inference.engine.cache.prefix import PrefixCache
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.plan import LaunchedStep, PrefillChunk, StepPlan, StepResult
from inference.engine.runner import RunnerStats
from inference.engine.sampling import SamplingRows, sample
from inference.engine.sequence import Sequence

logger = logging.getLogger(__name__)

# A prompt is worth an entry of its own when computing it again would be felt.
_MIN_SNAPSHOT_TOKENS = 32
# MLX keeps freed buffers for reuse; as the batch grows, old sizes are never asked for
# again, so they are given back every so many steps.
_CLEAR_EVERY_STEPS = 256


class ModelRunner:
    """The `Runner` over an mlx-lm model. Thread: engine only.

    model: called as `model(tokens (B, L), cache=layer caches) -> logits (B, L, V)`.
    prefix_cache_bytes: limit of the prefix cache; 0 turns it off.
    """

    def __init__(self, model: Any, prefix_cache_bytes: int) -> None:
        self._model = model
        self._prefixes: PrefixCache[CacheSnapshot] = PrefixCache(prefix_cache_bytes)
        self._prefilling: dict[str, list[Any]] = {}
        self._batch = BatchCache()
        self._tokens: mx.array | None = None  # (B,) the batch's newest tokens, maybe unread
        self._sampling: SamplingRows | None = None
        self._vocab_size: int | None = None
        self._steps = 0

    def begin(self, sequence: Sequence) -> int:
        match = self._prefixes.find(sequence.prompt)
        if match is None:
            self._prefilling[sequence.id] = make_prompt_cache(self._model)
            return 0
        self._prefilling[sequence.id] = match.snapshot.resume_at(match.length)
        return match.length

    def launch(self, plan: StepPlan) -> LaunchedStep:
        step = LaunchedStep(plan)
        self._leave(plan)
        tokens = self._decode(plan) if plan.decodes else None
        chunks: list[Any] = []
        for chunk in plan.prefills:
            try:
                chunks.append(self._prefill(chunk))
            except Exception as error:
                logger.exception("the prompt of %s failed", chunk.sequence.id)
                self._prefilling.pop(chunk.sequence.id, None)
                step.failed.append((chunk.sequence, error))
        self._steps += 1
        if self._steps % _CLEAR_EVERY_STEPS == 0:
            mx.clear_cache()
        step.handle = (tokens, chunks)
        return step

    def collect(self, step: LaunchedStep) -> StepResult:
        tokens, chunks = step.handle
        if tokens is not None:
            return StepResult(tuple(tokens.tolist()))
        # Nothing to read: wait all the same, so that the host runs one step ahead at most.
        mx.eval(chunks)
        return StepResult()

    def reset(self) -> None:
        self._prefilling.clear()
        self._batch.clear()
        self._tokens = self._sampling = None
        # Snapshots may hang on the computation that failed.
        self._prefixes.clear()
        mx.clear_cache()

    def close(self) -> None:
        self.reset()
        self._model = None

    def stats(self) -> RunnerStats:
        prefilling = (layer for layers in self._prefilling.values() for layer in layers)
        return RunnerStats(
            cache_entries=len(self._prefixes),
            cache_bytes=self._prefixes.nbytes,
            cache_max_bytes=self._prefixes.max_bytes,
            cache_hits=self._prefixes.hits,
            cache_misses=self._prefixes.misses,
            kv_bytes=self._batch.nbytes + sum(layer.nbytes for layer in prefilling),
        )

    def _leave(self, plan: StepPlan) -> None:
        """Free the rows that the plan no longer advances; keep their prefixes."""
        for sequence in plan.ended:
            layers = self._prefilling.pop(sequence.id, None)
            if layers is not None:
                self._store(sequence, layers)
        staying = set(plan.decodes)
        indices = []
        for index, row in enumerate(self._batch.rows):
            if row in staying:
                indices.append(index)
            else:
                self._store(row, self._batch.extract(row))
        if len(indices) < len(self._batch.rows):
            self._batch.keep(indices)
            self._sampling = None
            if self._tokens is not None:
                self._tokens = self._tokens[mx.array(indices)] if indices else None

    def _decode(self, plan: StepPlan) -> mx.array:
        """Advance all decoding rows by one token; returns (B,) tokens, not yet computed."""
        for sequence in plan.decodes[len(self._batch.rows) :]:
            self._join(sequence)
        assert self._tokens is not None
        logits = self._model(self._tokens[:, None], cache=self._batch.layers)[:, -1, :]
        if self._sampling is None:
            params = [row.sampling for row in self._batch.rows]
            self._sampling = SamplingRows.from_params(params, logits.shape[-1])
        steps = [row.num_launched for row in self._batch.rows]
        self._tokens = sample(logits, self._sampling, steps)
        mx.async_eval(self._tokens)
        return self._tokens

    def _join(self, sequence: Sequence) -> None:
        """Move a sequence whose prompt is computed into the batch.

        Its next input is the last prompt token, beside the newest tokens of the others.
        """
        layers = self._prefilling.pop(sequence.id)
        if sequence.num_computed - sequence.num_cached >= _MIN_SNAPSHOT_TOKENS:
            self._store(sequence, layers, sequence.num_computed)
        self._batch.join(sequence, layers)
        self._sampling = None
        last = mx.array([sequence.prompt[-1]], dtype=mx.uint32)
        self._tokens = last if self._tokens is None else mx.concatenate([self._tokens, last])

    def _prefill(self, chunk: PrefillChunk) -> list[Any]:
        """Start a chunk of a prompt; returns the cache state to wait for."""
        layers = self._prefilling[chunk.sequence.id]
        prompt = chunk.sequence.prompt[chunk.start : chunk.start + chunk.length]
        # The logits are never asked for, so they are never computed.
        self._model(mx.array([prompt], dtype=mx.uint32), cache=layers)
        state = [layer.state for layer in layers]
        mx.async_eval(state)
        return state

    def _store(self, sequence: Sequence, layers: list[Any], length: int | None = None) -> None:
        if self._prefixes.max_bytes == 0:
            return
        tokens = sequence.tokens_in_cache()[:length]
        snapshot = CacheSnapshot.of(layers, len(tokens))
        # Evaluated now: a lazy snapshot would keep the buffers it is cut from alive.
        mx.async_eval([layer.state for layer in snapshot.layers])
        self._prefixes.store(tokens, snapshot)
