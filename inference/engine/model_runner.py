"""Executes step plans with a real model.

    launch:  rows that left -> prefix cache, rows that are ready -> batch
             one forward pass for all decoding rows, one for each prompt chunk
    collect: the sampled tokens, read in one transfer

Decodes come first in a step: on an in-order device their tokens are ready before the
prompt chunks are computed.
"""

import logging
from collections.abc import Collection
from typing import Any

import mlx.core as mx

from hub.kv_cost import FREE, KvCost
from inference.engine.cache.batch import BatchCache
from inference.engine.cache.kinds import keeps_every_token
from inference.engine.cache.memory_guard import MemoryGuard, OutOfMemory
from inference.engine.cache.prefix import Match
from inference.engine.cache.scheme import BF16, KvScheme
from inference.engine.cache.ssd.generations import Generations
from inference.engine.cache.ssd.tier import SsdTier
from inference.engine.cache.store import PrefixStore
from inference.engine.grammar.bitmask import batch_bitmask
from inference.engine.plan import LaunchedStep, PrefillChunk, StepPlan, StepResult
from inference.engine.runner import RunnerStats
from inference.engine.sampling.sampler import Draw, Sampler, SamplingRow
from inference.engine.sequence import Sequence
from inference.engine.tracing import measured_first
from inference.trace import Phase, measured

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
    scheme: how keys and values are kept.
    guard: keeps the model within its memory; None trusts admission alone.
    exempt: token ids that no sampler may exclude as top choices.
    max_rows: sequences that can share a step; None for any number.
    kv_cost: what the keys and values of one sequence take.
    tier: keeps prefixes on disk as well.
    generations: saves answers under way.
    """

    def __init__(
        self,
        model: Any,
        prefix_cache_bytes: int,
        *,
        scheme: KvScheme = BF16,
        guard: MemoryGuard | None = None,
        exempt: Collection[int] = (),
        max_rows: int | None = None,
        kv_cost: KvCost = FREE,
        tier: SsdTier | None = None,
        generations: Generations | None = None,
    ) -> None:
        self.max_rows = max_rows
        self.kv_cost = kv_cost
        self._model = model
        self._scheme = scheme
        self._prefixes = PrefixStore(prefix_cache_bytes, guard, tier)
        self._generations = generations
        self._guard = guard
        self._exempt = tuple(exempt)
        self._cuts_anywhere = keeps_every_token(scheme.make_caches(model))
        self._prefilling: dict[Sequence, list[Any]] = {}  # as they arrived
        self._batch = BatchCache()
        self._tokens: mx.array | None = None  # (B,) the batch's newest tokens, maybe unread
        self._sampler: Sampler | None = None
        self._steps = 0

    @property
    def model(self) -> Any:
        """The model that runs; None once closed."""
        return self._model

    def begin(self, sequence: Sequence) -> int:
        if self._generations and (layers := self._generations.resume(sequence)) is not None:
            self._prefilling[sequence] = layers
            return len(sequence.prompt) - 1
        match = self._prefixes.find(sequence.prompt, sequence.namespace)
        if match.snapshot is None:
            self._prefilling[sequence] = self._scheme.make_caches(self._model)
        else:
            self._prefilling[sequence] = match.snapshot.resume_at(match.length)
        if not self._cuts_anywhere and self._prefixes.is_on:
            sequence.checkpoints = self._choose_checkpoints(sequence, match)
        return match.length

    def launch(self, plan: StepPlan) -> LaunchedStep:
        step = LaunchedStep(plan)
        self._leave(plan)
        self._make_room(plan, step)
        draw = self._decode(plan) if plan.decodes else None
        chunks: list[Any] = []
        for chunk in plan.prefills:
            if any(sequence is chunk.sequence for sequence, _ in step.failed):
                continue
            try:
                chunks.append(self._prefill(chunk))
            except Exception as error:
                logger.exception("the prompt of %s failed", chunk.sequence.id)
                self._prefilling.pop(chunk.sequence, None)
                step.failed.append((chunk.sequence, error))
        self._steps += 1
        if self._steps % _CLEAR_EVERY_STEPS == 0:
            mx.clear_cache()
        step.handle = (draw, chunks)
        return step

    def collect(self, step: LaunchedStep) -> StepResult:
        draw, chunks = step.handle
        if draw is not None:
            tokens = tuple(draw.tokens.tolist())
            return StepResult(tokens, draw.scores.read() if draw.scores else {})
        # Nothing to read: wait all the same, so that the host runs one step ahead at most.
        mx.eval(chunks)
        return StepResult()

    def reset(self) -> None:
        self._prefilling.clear()
        self._batch.clear()
        self._tokens = self._sampler = None
        if self._generations:
            self._generations.clear()
        # Snapshots may hang on the computation that failed.
        self._prefixes.clear()
        mx.clear_cache()

    def rest(self) -> None:
        mx.clear_cache()  # freed buffers; weights and prefixes stay

    def close(self) -> None:
        self._prefixes.close()
        self.reset()
        self._model = None

    def stats(self) -> RunnerStats:
        prefilling = (layer for layers in self._prefilling.values() for layer in layers)
        in_memory = self._prefixes.in_memory
        return RunnerStats(
            cache_entries=len(in_memory),
            cache_bytes=in_memory.nbytes,
            cache_max_bytes=in_memory.max_bytes,
            cache_hits=in_memory.hits,
            cache_misses=in_memory.misses,
            kv_bytes=self._batch.nbytes + sum(layer.nbytes for layer in prefilling),
        )

    def make_room(self) -> None:
        """Evict prefixes until a pass fits in memory; raises OutOfMemory if that is not enough."""
        self._prefixes.make_room()

    def _leave(self, plan: StepPlan) -> None:
        """Free the rows that the plan no longer advances; keep their prefixes."""
        for sequence in plan.ended:
            layers = self._prefilling.pop(sequence, None)
            if layers is not None:
                self._store(sequence, layers)
            if self._generations:
                self._generations.end(sequence)
        staying = set(plan.decodes)
        indices = []
        for index, row in enumerate(self._batch.rows):
            if row in staying:
                indices.append(index)
            else:
                self._store(row, self._batch.extract(row))
        if len(indices) < len(self._batch.rows):
            self._batch.keep(indices)
            self._sampler = None
            if self._tokens is not None:
                self._tokens = self._tokens[mx.array(indices)] if indices else None

    def _decode(self, plan: StepPlan) -> Draw:
        """Advance all decoding rows by one token; returns what is not yet computed."""
        for sequence in plan.decodes[len(self._batch.rows) :]:
            self._join(sequence)
        if self._generations and len(self._batch.rows) == 1:
            self._generations.note(self._batch.rows[0], self._batch.layers)
        assert self._tokens is not None
        with measured_first(plan.decodes, Phase.TOKEN_ZERO_FORWARD):
            model = self._model_for(plan.decodes[0])  # who has adapters is alone
            logits = model(self._tokens[:, None], cache=self._batch.layers)[:, -1, :]
        if self._sampler is None:
            rows = [
                SamplingRow(row.sampling, row.tokens_before_newest, row.logprobs)
                for row in self._batch.rows
            ]
            self._sampler = Sampler(rows, logits.shape[-1], self._exempt)
        steps = [row.num_launched for row in self._batch.rows]
        with measured_first(plan.decodes, Phase.TOKEN_ZERO_SAMPLE):
            masks = batch_bitmask([row.matcher for row in self._batch.rows], logits.shape[-1])
            draw = self._sampler.draw(logits, steps, self._tokens, masks)
        self._tokens = draw.tokens
        mx.async_eval(draw.arrays)
        return draw

    def _join(self, sequence: Sequence) -> None:
        """Move a sequence whose prompt is computed into the batch.

        Its next input is the last prompt token, beside the newest tokens of the others.
        """
        layers = self._prefilling.pop(sequence)
        kept = max([sequence.num_cached, *sequence.checkpoints])
        if sequence.num_computed - kept >= _MIN_SNAPSHOT_TOKENS:
            with measured(sequence.trace, Phase.KV_MAINTENANCE):
                self._store(sequence, layers, sequence.num_computed)
        with measured(sequence.trace, Phase.BATCH_SETUP):
            self._batch.join(sequence, layers)
        self._sampler = None
        last = mx.array([(sequence.output or sequence.prompt)[-1]], dtype=mx.uint32)
        self._tokens = last if self._tokens is None else mx.concatenate([self._tokens, last])

    def _prefill(self, chunk: PrefillChunk) -> list[Any]:
        """Start a chunk of a prompt; returns the cache state to wait for."""
        layers = self._prefilling[chunk.sequence]
        prompt = chunk.sequence.prompt[chunk.start : chunk.start + chunk.length]
        # The logits are never asked for, so they are never computed.
        model = self._model_for(chunk.sequence)
        model(mx.array([prompt], dtype=mx.uint32), cache=layers)
        state = [layer.state for layer in layers]
        mx.async_eval(state)
        end = chunk.start + chunk.length
        if end in chunk.sequence.checkpoints:
            with measured(chunk.sequence.trace, Phase.KV_MAINTENANCE):
                self._store(chunk.sequence, layers, end)
        return state

    def _model_for(self, sequence: Sequence) -> Any:
        return self._model if sequence.adapted_model is None else sequence.adapted_model

    def _choose_checkpoints(self, sequence: Sequence, match: Match[Any]) -> frozenset[int]:
        """Choose where a prompt whose cache cannot be cut is worth keeping.

        At the end of what the conversation's next turn repeats, and where this prompt
        parts from one seen before: the third to begin so will find it.
        """
        last = len(sequence.prompt) - 1
        stable = last if sequence.stable_length is None else sequence.stable_length
        return frozenset(
            length
            for length in (stable, match.shared)
            if match.length + _MIN_SNAPSHOT_TOKENS <= length < last
        )

    def _make_room(self, plan: StepPlan, step: LaunchedStep) -> None:
        """Evict prefixes until the step fits in memory; if that is not enough, fail one."""
        if self._guard is None or not (plan.decodes or plan.prefills):
            return
        if self._guard.is_short():
            # Rows that left are freed only when what became of the others is computed.
            mx.eval([layer.state for layer in self._batch.layers])
            mx.synchronize()
        try:
            self.make_room()
        except OutOfMemory as error:
            newest = self._newest(plan)
            if newest not in plan.decodes:
                del self._prefilling[newest]
            step.failed.append((newest, error))

    def _newest(self, plan: StepPlan) -> Sequence:
        """Return who goes when memory is out: the last to come, prompts before answers."""
        for sequence in reversed(self._prefilling):
            if sequence.num_computed and sequence not in plan.decodes:
                return sequence
        return plan.decodes[-1]

    def _store(self, sequence: Sequence, layers: list[Any], length: int | None = None) -> None:
        tokens = sequence.tokens_in_cache()[:length]
        self._prefixes.keep(tokens, sequence.namespace, layers)
