"""What the engine notes of the sequences that are traced. Thread: engine only.

A step is launched before the one ahead of it is read, so phases of one sequence may overlap:
its first token is on its way while the end of its prompt is still being computed.
"""

import contextlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager

from inference.engine.plan import StepPlan
from inference.engine.sequence import Sequence, SequenceStatus
from inference.trace import Phase, Trace, measured


def note_begun(sequence: Sequence) -> None:
    """The sequence has its place, and what the prefix cache had of its prompt."""
    trace = sequence.trace
    if trace is not None:
        trace.begin(Phase.PREFILL)
        if sequence.num_prefill_left == 0:
            trace.end(Phase.PREFILL, tokens=0, cachedTokens=sequence.num_cached)


def note_launch(plan: StepPlan) -> None:
    """The step is about to be launched."""
    for sequence in plan.decodes:
        if sequence.trace is not None and sequence.num_launched == 1:
            sequence.trace.begin(Phase.TOKEN_ZERO)
    for chunk in plan.prefills:
        if chunk.sequence.trace is not None:
            chunk.sequence.trace.begin(Phase.PREFILL_CHUNK, chunk.start)


def note_read(plan: StepPlan) -> None:
    """The step's tokens have been read; the scheduler does not know them yet."""
    for sequence in plan.decodes:
        if sequence.trace is not None and not sequence.output and _is_live(sequence):
            sequence.trace.end(Phase.TOKEN_ZERO)
    for chunk in plan.prefills:
        sequence, trace = chunk.sequence, chunk.sequence.trace
        if trace is None or not _is_live(sequence):
            continue
        end = chunk.start + chunk.length
        trace.end(Phase.PREFILL_CHUNK, chunk.start, start=chunk.start, tokens=chunk.length)
        if end == len(sequence.prompt) - 1:
            computed = end - sequence.num_cached
            trace.end(Phase.PREFILL, tokens=computed, cachedTokens=sequence.num_cached)


def measured_first(decodes: Iterable[Sequence], phase: Phase) -> AbstractContextManager[None]:
    """Measure a part of a step for the sequences whose first token it makes."""
    traces = [s.trace for s in decodes if s.trace is not None and s.num_launched == 1]
    return _measured_all(traces, phase) if traces else measured(None, phase)


def _is_live(sequence: Sequence) -> bool:
    """Whether the step still counts for the sequence; it may have ended on the way."""
    return sequence.status is not SequenceStatus.FINISHED


@contextlib.contextmanager
def _measured_all(traces: list[Trace], phase: Phase) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for trace in traces:
            stack.enter_context(trace.measure(phase))
        yield
