"""Decides who advances in the next step, and by how much; computes nothing.

Iteration-level scheduling: sequences join and leave between any two steps. Because the
next step is launched before the last one is read, the scheduler plans one token ahead of
what it knows: a sequence that turns out to have ended is simply not planned again, and
its surplus token is dropped in `update`.

Source: Orca (Yu et al., OSDI 2022); chunked prefill: Sarathi-Serve (Agrawal et al., OSDI 2024).
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

from inference.engine.call import Call, Hold
from inference.engine.config import EngineConfig
from inference.engine.plan import PrefillChunk, StepPlan, StepResult
from inference.engine.sequence import Sequence, SequenceStatus


class Scheduler:
    """Waiting, prefilling and running sequences, admitted first come first served.

    A serial sequence waits until the engine is empty and then has it for itself, and so
    do a call and a hold. Nobody overtakes them meanwhile, so they wait for no more than what runs
    already.

    Nor does anybody overtake a sequence that waits for memory: one whose keys and values could
    outgrow the budget, beside those of the sequences that hold a place.

    Thread: engine only.
    """

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._waiting: deque[Sequence | Call[Any] | Hold] = deque()
        self._prefilling: list[Sequence] = []
        self._running: list[Sequence] = []
        self._ended: list[Sequence] = []
        self._turn = 0

    def add(self, arrival: Sequence | Call[Any] | Hold) -> None:
        self._waiting.append(arrival)

    def admit(self) -> list[Sequence]:
        """Move waiting sequences into free places and return them.

        The caller gives each its place in the cache and sets `num_computed` before the
        next `schedule`.
        """
        admitted = []
        while (sequence := self._next_sequence()) and self._has_place_for(sequence):
            self._waiting.popleft()
            sequence.status = SequenceStatus.PREFILLING
            self._prefilling.append(sequence)
            admitted.append(sequence)
        return admitted

    def take_call(self) -> Call[Any] | None:
        """Return the call whose turn it is, if there is one: the engine is empty.

        The caller has read the last step and runs the call before it admits anyone.
        """
        first = self._first_if_empty()
        if not isinstance(first, Call):
            return None
        self._waiting.popleft()
        return first

    def find_hold(self) -> Hold | None:
        """Return the hold whose turn has come, if there is one.

        It stays at the head of the line, so that nobody passes, until it is withdrawn.
        """
        first = self._first_if_empty()
        return first if isinstance(first, Hold) else None

    def withdraw(self, arrival: Call[Any] | Hold) -> None:
        """Take a call or a hold out of the line; harmless if it has left already."""
        if arrival in self._waiting:
            self._waiting.remove(arrival)

    def schedule(self) -> StepPlan:
        """Choose what the next step does.

        Running sequences come first, one token each. Beside them one prompt is computed, as
        many tokens of it as the limit allows, so that neither side starves the other; with
        nobody running, prompts share the step. They take turns: one step serves the oldest
        first, the next the one with the least left, so that a long prompt neither starves
        nor holds up the short ones behind it.
        """
        self._promote()
        decodes = [s for s in self._running if s.num_launched < s.max_tokens]
        for sequence in decodes:
            sequence.num_launched += 1
            sequence.shared_steps = sequence.shared_steps or len(decodes) > 1
        plan = StepPlan(
            ended=tuple(self._ended),
            decodes=tuple(decodes),
            prefills=self._chunks(beside_decodes=bool(decodes)),
        )
        self._ended.clear()
        return plan

    def update(self, plan: StepPlan, result: StepResult) -> list[Sequence]:
        """Take in the tokens of a step; return the sequences that received one."""
        advanced = []
        for sequence, token in zip(plan.decodes, result.tokens, strict=True):
            if sequence.status is not SequenceStatus.RUNNING:
                continue  # it ended while this step was in flight
            sequence.append(token)
            advanced.append(sequence)
            if sequence.finish_reason() is not None:
                sequence.is_complete = True
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
        sequence.adapted_model = None  # adapters nobody else holds are freed here

    def drop_active(self) -> list[Sequence]:
        """Forget every sequence that holds cache, after the cache was lost; return them."""
        lost = self._prefilling + self._running
        for sequence in lost:
            self.end(sequence)
        self._ended.clear()
        return lost

    def everyone(self) -> Iterable[Sequence]:
        """Return all sequences that have not ended."""
        waiting = (arrival for arrival in self._waiting if isinstance(arrival, Sequence))
        return [*waiting, *self._prefilling, *self._running]

    @property
    def num_active(self) -> int:
        return len(self._prefilling) + len(self._running)

    @property
    def must_read_first(self) -> bool:
        """Whether a sequence runs whose next step depends on tokens that were not read yet."""
        return any(sequence.matcher is not None for sequence in self._running)

    @property
    def num_waiting(self) -> int:
        """Sequences, calls and holds that wait for their turn."""
        return len(self._waiting) - self.is_held

    @property
    def kv_bytes(self) -> int:
        """What the keys and values of those that hold a place can come to."""
        return sum(map(self._kv_bytes, [*self._prefilling, *self._running]))

    @property
    def num_running(self) -> int:
        return len(self._running)

    @property
    def num_pending(self) -> int:
        """Those that wait, and sequences that prefill."""
        return self.num_waiting + len(self._prefilling)

    @property
    def is_held(self) -> bool:
        """Whether someone outside has the engine, so that nobody in the line can go on."""
        first = self._waiting[0] if self._waiting else None
        return isinstance(first, Hold) and first.is_granted

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do before the next message."""
        if self._prefilling or self._running or self._ended:
            return False
        return not self._waiting or self.is_held

    def _first_if_empty(self) -> Sequence | Call[Any] | Hold | None:
        """Return the first in the line if no sequence holds a place."""
        if self._prefilling or self._running or self._ended:
            return None
        return self._waiting[0] if self._waiting else None

    def _next_sequence(self) -> Sequence | None:
        """Return the first in the line, unless it is a call or a hold: then nobody may pass."""
        first = self._waiting[0] if self._waiting else None
        return first if isinstance(first, Sequence) else None

    def _promote(self) -> None:
        """Let sequences whose prompt is computed join the running ones."""
        for sequence in [s for s in self._prefilling if s.num_prefill_left == 0]:
            self._prefilling.remove(sequence)
            sequence.status = SequenceStatus.RUNNING
            self._running.append(sequence)

    def _chunks(self, *, beside_decodes: bool) -> tuple[PrefillChunk, ...]:
        config = self._config
        budget = config.max_mixed_prefill_tokens if beside_decodes else config.max_prefill_tokens
        chunks: list[PrefillChunk] = []
        for sequence in self._prefill_order():
            if chunks and beside_decodes:
                break  # every prompt is a forward pass of its own, and streams wait for it
            while length := min(budget, sequence.num_to_pause):
                chunks.append(PrefillChunk(sequence, sequence.num_computed, length))
                sequence.num_computed += length
                budget -= length
        return tuple(chunks)

    def _prefill_order(self) -> list[Sequence]:
        self._turn += 1
        if self._turn % 2:
            return self._prefilling
        return sorted(self._prefilling, key=lambda sequence: sequence.num_prefill_left)

    def _has_place_for(self, sequence: Sequence) -> bool:
        active = [*self._prefilling, *self._running]
        if sequence.serial or any(other.serial for other in active):
            return not active
        return len(active) < self._config.max_running and self._is_within_budget(sequence)

    def _is_within_budget(self, sequence: Sequence) -> bool:
        """Tell whether a sequence can grow as long as it may; alone, any can that was let in."""
        budget = self._config.kv_budget_bytes
        if budget is None or not (self._prefilling or self._running):
            return True
        return self.kv_bytes + self._kv_bytes(sequence) <= budget

    def _kv_bytes(self, sequence: Sequence) -> int:
        return self._config.kv_cost.of(len(sequence.prompt) + sequence.max_tokens)
