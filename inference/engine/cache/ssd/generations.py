"""Checkpoints of answers under way, so that an equal request goes on after a restart.

A checkpoint holds the layer caches and the tokens so far, the last of which is the next step's
input. Draws depend on the seed and the number of the token alone, so the seed is all that
sampling needs besides. One file for each key, replaced as the answer grows.
"""

import logging
from dataclasses import dataclass, replace
from typing import Any

from inference.engine.cache.prefix import Entry
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.cache.ssd.spill_queue import Reason
from inference.engine.cache.ssd.tier import SsdTier
from inference.engine.plan import TokenScores
from inference.engine.sequence import Sequence, SequenceStatus

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Unread:
    """Caches after `num_tokens` tokens of an answer, the last of which was not read back yet."""

    snapshot: CacheSnapshot
    num_tokens: int


class Generations:
    """For sequences that have the engine to themselves, one at a time. Thread: engine only.

    every: tokens between two checkpoints.
    """

    def __init__(self, every: int, tier: SsdTier) -> None:
        self._every = every
        self._tier = tier
        self._unread: dict[Sequence, _Unread] = {}
        self._begun: set[Sequence] = set()  # whose end was not told yet

    def resume(self, sequence: Sequence) -> list[Any] | None:
        """Put a sequence where an equal one was saved; returns its layer caches, None if none was.

        All of its prompt is computed then, and its `output` not empty.
        """
        self._end_finished()
        if sequence.generation_key is None:
            return None
        self._begun.add(sequence)
        path = self._tier.folder.generation_path(sequence.generation_key)
        if (saved := self._tier.read_generation(path)) is None:
            return None
        entry, extra = saved
        output: list[int] = extra["output"]
        goes_on = len(output) < sequence.max_tokens and output[-1] not in sequence.stop_token_ids
        if not goes_on or entry.tokens != sequence.prompt + output[:-1]:
            self._tier.drop_generation(path)
            return None
        sequence.sampling = replace(sequence.sampling, seed=extra["seed"])
        sequence.scores = [_read_scores(scores) for scores in extra["scores"]]
        sequence.num_launched = len(output)
        for token in output:
            sequence.append(token)
        return entry.snapshot.resume_at(len(entry.tokens))

    def note(self, sequence: Sequence, layers: list[Any]) -> None:
        """Save a sequence if it is time to. layers: its caches before the step being launched."""
        if sequence.generation_key is None:
            return
        num_tokens = sequence.num_launched - 1  # that its caches and the step's input come to
        if num_tokens > 0 and num_tokens % self._every == 0:
            length = len(sequence.prompt) + num_tokens - 1
            self._unread[sequence] = _Unread(CacheSnapshot.of(layers, length), num_tokens)
        unread = self._unread.get(sequence)
        if unread is not None and len(sequence.output) >= unread.num_tokens:
            del self._unread[sequence]
            self._save(sequence, unread)

    def end(self, sequence: Sequence) -> None:
        """Forget a sequence that left; if its answer is complete, what was saved of it too."""
        self._unread.pop(sequence, None)
        self._begun.discard(sequence)
        if sequence.generation_key is None:
            return
        if sequence.is_complete or sequence.failure is not None:
            self._tier.drop_generation(self._tier.folder.generation_path(sequence.generation_key))

    def clear(self) -> None:
        """Forget what was not saved yet."""
        self._end_finished()
        self._unread.clear()
        self._begun.clear()

    def _end_finished(self) -> None:
        """End those that have finished and not left yet: who is next may be an equal one.

        A sequence leaves with the first step after its end; others begin ahead of that step, and
        one that fails never tells who left.
        """
        for sequence in [s for s in self._begun if s.status is SequenceStatus.FINISHED]:
            self.end(sequence)

    def _save(self, sequence: Sequence, unread: _Unread) -> None:
        output = sequence.output[: unread.num_tokens]
        entry = Entry(sequence.prompt + output[:-1], sequence.namespace, unread.snapshot)
        spill = self._tier.pack(entry, Reason.GENERATION)
        if spill is None or sequence.generation_key is None:
            return
        extra = {
            "output": output,
            "seed": sequence.sampling.seed,
            "scores": [
                [scores.chosen, list(scores.top)] for scores in sequence.scores[: len(output)]
            ],
        }
        spill.header = replace(spill.header, extra=extra)
        spill.path = self._tier.folder.generation_path(sequence.generation_key)
        self._tier.put(spill)


def _read_scores(scores: list[Any]) -> TokenScores:
    chosen, top = scores
    return TokenScores(chosen, tuple((token, logprob) for token, logprob in top))
