"""Arithmetic on the times at which text arrived. Pure: no clock, no network."""

import itertools
import statistics
from collections.abc import Sequence

Times = Sequence[float]  # seconds, rising


def shared_rate(streams: Sequence[Times], tokens_per_event: Sequence[float]) -> float:
    """Return tokens per second of all streams together, while all of them ran.

    The window opens when every stream has had its second event and closes when the first
    one ends: before lies prefill, after it a smaller batch.
    tokens_per_event: by stream; more than one where a server sends several in one event.
    Raises ValueError if there was no such window.
    """
    if min(len(times) for times in streams) < 3:
        raise ValueError("a stream had fewer than three events; ask for more tokens")
    begin = max(times[1] for times in streams)
    end = min(times[-1] for times in streams)
    if end <= begin:
        raise ValueError("a stream ended before all had begun; ask for more tokens")
    counted = sum(
        sum(begin < at <= end for at in times) * tokens
        for times, tokens in zip(streams, tokens_per_event, strict=True)
    )
    return counted / (end - begin)


def worst_gap(times: Times, begin: float, end: float) -> float:
    """Return the longest pause between two events that touches [begin, end].

    In units of the stream's ordinary step, the median pause before `begin`.
    Raises ValueError when there are too few events before, or none after.
    """
    gaps = list(itertools.pairwise(times))
    ordinary = [after - before for before, after in gaps if after <= begin]
    if len(ordinary) < 3:
        raise ValueError("the stream had too few events before the prompt was sent")
    if times[-1] <= end:
        raise ValueError("the stream ended before the prompt was read")
    touched = [after - before for before, after in gaps if after > begin and before <= end]
    return max(touched) / statistics.median(ordinary)
