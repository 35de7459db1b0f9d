"""Decides who advances in the next step, and by how much; computes nothing.

Iteration-level scheduling: sequences join and leave between any two steps. Because the
next step is launched before the last one is read, the scheduler plans one token ahead of
what it knows: a sequence that turns out to have ended is simply not planned again, and
its surplus token is dropped in `update`.

Source: Orca (Yu et al., OSDI 2022); chunked prefill: Sarathi-Serve (Agrawal et al., OSDI 2024).
"""

from collections import deque
from collections.abc import Iterable

from inference.engine.config import EngineConfig
from inference.engine.plan import PrefillChunk, StepPlan, StepResult
from inference.engine.sequence import Sequence, SequenceStatus


class Scheduler:
    """Waiting, prefilling and running sequences, first come first served.

    Thread: engine only.
    """

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._waiting: deque[Sequence] = deque()
        self._prefilling: list[Sequence] = []
        self._running: list[Sequence] = []
        self._ended: list[Sequence] = []

    def add(self, sequence: Sequence) -> None:
        self._waiting.append(sequence)

    def admit(self) -> list[Sequence]:
        """Move waiting sequences into free places and return them.

        The caller gives each its place in the cache and sets `num_computed` before the
        next `schedule`.
        """
        admitted = []
        while self._waiting and self.num_active < self._config.max_running:
            sequence = self._waiting.popleft()
            sequence.status = SequenceStatus.PREFILLING
            self._prefilling.append(sequence)
            admitted.append(sequence)
        return admitted

    def schedule(self) -> StepPlan:
        """Choose what the next step does.

        Running sequences come first, one token each. The rest of the step's token budget
        goes to prompts in arrival order, at least one token if any prompt waits, so that
        neither side starves the other.
        """
        self._promote()
        decodes = [s for s in self._running if s.num_launched < s.max_tokens]
        for sequence in decodes:
            sequence.num_launched += 1
            sequence.shared_steps = sequence.shared_steps or len(decodes) > 1
        plan = StepPlan(
            ended=tuple(self._ended), decodes=tuple(decodes), prefills=self._chunks(len(decodes))
        )
        self._ended.clear()
        return plan

    def update(self, plan: StepPlan, result: StepResult) -> list[Sequence]:
        """Take in the tokens of a step; return the sequences that received one."""
        advanced = []
        for sequence, token in zip(plan.decodes, result.tokens, strict=True):
            if sequence.status is not SequenceStatus.RUNNING:
                continue  # it ended while this step was in flight
            sequence.output.append(token)
            advanced.append(sequence)
            if sequence.finish_reason() is not None:
                self.end(sequence)
        return advanced

    def end(self, sequence: Sequence) -> None:
        """Take a sequence out, in whatever state it is; harmless if it has left already."""
        match sequence.status:
            case SequenceStatus.WAITING:
                self._waiting.remove(sequence)
            case SequenceStatus.PREFILLING:
                self._prefilling.remove(sequence)
                self._ended.append(sequence)
            case SequenceStatus.RUNNING:
                self._running.remove(sequence)
                self._ended.append(sequence)
            case SequenceStatus.FINISHED:
                return
        sequence.status = SequenceStatus.FINISHED

    def drop_active(self) -> list[Sequence]:
        """Forget every sequence that holds cache, after the cache was lost; return them."""
        lost = self._prefilling + self._running
        for sequence in lost:
            self.end(sequence)
        self._ended.clear()
        return lost

    def everyone(self) -> Iterable[Sequence]:
        """Return all sequences that have not ended."""
        return [*self._waiting, *self._prefilling, *self._running]

    @property
    def num_active(self) -> int:
        return len(self._prefilling) + len(self._running)

    @property
    def num_running(self) -> int:
        return len(self._running)

    @property
    def num_pending(self) -> int:
        """Sequences that wait or prefill."""
        return len(self._waiting) + len(self._prefilling)

    @property
    def is_idle(self) -> bool:
        return not (self._waiting or self._prefilling or self._running or self._ended)

    def _promote(self) -> None:
        """Let sequences whose prompt is computed join the running ones."""
        for sequence in [s for s in self._prefilling if s.num_prefill_left == 0]:
            self._prefilling.remove(sequence)
            sequence.status = SequenceStatus.RUNNING
            self._running.append(sequence)

    def _chunks(self, num_decodes: int) -> tuple[PrefillChunk, ...]:
        config = self._config
        budget = (
            max(config.max_step_tokens - num_decodes, 1)
            if num_decodes
            else config.max_prefill_tokens
        )
        chunks = []
        for sequence in self._prefilling:
            length = min(budget, sequence.num_prefill_left)
            if length == 0:
                break
            chunks.append(PrefillChunk(sequence, sequence.num_computed, length))
            sequence.num_computed += length
            budget -= length
        return tuple(chunks)
