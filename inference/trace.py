"""The record of one request for diagnosis: which phase began when, and how long it took.

A trace exists only while the server is told to trace; otherwise the field or argument that
would hold one is None, and whoever has something to note looks for that first. A record is one
line of JSON; docs/api.md says what each phase means.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from typing import Any

PREFIX = "[p2r] "

Attribute = str | int | float | bool | None


class Phase(StrEnum):
    """The contract's phases, but for `token_zero.head`: no moment parts it from the forward."""

    BODY_PARSE = "request.body_parse"
    PROMPT_PREPARE = "request.prompt_prepare"
    COMPLETION = "completion.total"
    PLACEMENT = "completion.placement"
    ADMISSION_WAIT = "engine.admission_wait"
    CACHE_LOOKUP = "cache.lookup_restore"
    PREFILL = "prefill.total"
    BATCH_SETUP = "prefill.batch_setup"
    PREFILL_CHUNK = "prefill.chunk"
    KV_MAINTENANCE = "prefill.kv_maintenance"
    TOKEN_ZERO = "token_zero.total"
    TOKEN_ZERO_FORWARD = "token_zero.forward"
    TOKEN_ZERO_SAMPLE = "token_zero.sample"
    FIRST_WRITE = "response.first_write"
    FINAL_WRITE = "response.final_write"


class Outcome(StrEnum):
    SUCCESS = "success"
    ERROR = "error"
    ABORT = "abort"  # the caller left


class Stage(StrEnum):
    """What a request failed in, if it failed before its generation began."""

    BODY_PARSE = "body_parse"
    PREPARE_COMPLETION = "prepare_completion"


class Trace:
    """Collects the phases of one request and writes them once, as one line.

    Thread: any. The engine notes its phases while the sequence is there, the web side writes
    the record; what is noted after that is dropped.

    trace_id: the caller's name for the request; request_id: ours, as on the wire.
    write: takes the finished line.
    clock: monotonic, in seconds.
    """

    def __init__(
        self,
        *,
        trace_id: str,
        request_id: str,
        route: str,
        write: Callable[[str], object],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._head = {
            "version": 1,
            "traceId": trace_id,
            "requestId": request_id,
            "route": route,
            "clock": "monotonic-ms",
        }
        self._write = write
        self._clock = clock
        self._started = clock()
        self._lock = threading.Lock()  # guards all below
        self._under_way: dict[tuple[Phase, int], float] = {}  # since when
        self._events: list[dict[str, Any]] = []
        self._writes: list[float] = []  # the moments of the first and of the newest
        self._failed = False
        self._finished = False

    def begin(self, phase: Phase, key: int = 0) -> None:
        """Note that a phase begins. key: tells apart several of its kind under way at once."""
        with self._lock:
            self._under_way[phase, key] = self._clock()

    def end(self, phase: Phase, key: int = 0, **attributes: Attribute) -> None:
        """Note that a phase is over; harmless if it never began."""
        with self._lock:
            started = self._under_way.pop((phase, key), None)
            if started is not None:
                self._events.append(self._event(phase, started, self._clock(), attributes))

    def wrote(self) -> None:
        """Note that a piece of the answer was handed over to be sent."""
        with self._lock:
            self._writes[1:] = [self._clock()]

    def fail(self) -> None:
        """Note that the answer broke: its record tells of an error, however it is finished."""
        with self._lock:
            self._failed = True

    def finish(self, outcome: Outcome, stage: Stage | None = None) -> None:
        """Write the record; harmless if it is written already.

        A phase still under way is listed as far as it came, and marked as unfinished.
        """
        with self._lock:
            if self._finished:
                return
            self._finished = True
            record = self._record(Outcome.ERROR if self._failed else outcome, stage)
        line = PREFIX + json.dumps(record, separators=(",", ":")) + "\n"
        with contextlib.suppress(OSError, ValueError):  # that nobody reads is no reason to fail
            self._write(line)

    def abort(self) -> None:
        """Write the record of a request whose caller left."""
        self.finish(Outcome.ABORT)

    @contextlib.contextmanager
    def measure(self, phase: Phase) -> Iterator[None]:
        """Note a phase that lasts as long as the block."""
        self.begin(phase)
        try:
            yield
        finally:
            self.end(phase)

    @contextlib.contextmanager
    def guard(self, stage: Stage | None) -> Iterator[None]:
        """Write the record if an exception leaves the block."""
        try:
            yield
        except Exception:
            self.finish(Outcome.ERROR, stage)
            raise
        except BaseException:  # cancelled
            self.abort()
            raise

    def _record(self, outcome: Outcome, stage: Stage | None) -> dict[str, Any]:
        now = self._clock()
        events = list(self._events)
        for (phase, _key), since in self._under_way.items():
            events.append(self._event(phase, since, now, {"unfinished": True}))
        if self._writes:
            first, final = self._writes[0], self._writes[-1]
            events.append(self._event(Phase.FIRST_WRITE, first, first))
            events.append(self._event(Phase.FINAL_WRITE, final, final))
        return {
            **self._head,
            "outcome": outcome,
            "totalMs": _milliseconds(now - self._started),
            "events": sorted(events, key=lambda event: event["startMs"]),
            **({} if stage is None else {"attributes": {"stage": stage}}),
        }

    def _event(
        self, phase: Phase, began: float, ended: float, attributes: Mapping[str, Attribute] = {}
    ) -> dict[str, Any]:
        return {
            "phase": phase,
            "startMs": _milliseconds(began - self._started),
            "durationMs": _milliseconds(ended - began),
            **({"attributes": attributes} if attributes else {}),
        }


_NOTHING: AbstractContextManager[None] = nullcontext()  # shared: without a trace nothing is made


def measured(trace: Trace | None, phase: Phase) -> AbstractContextManager[None]:
    """Return `Trace.measure`, or without a trace a block that does nothing."""
    return _NOTHING if trace is None else trace.measure(phase)


def guarded(trace: Trace | None, stage: Stage | None = None) -> AbstractContextManager[None]:
    """Return `Trace.guard`, or without a trace a block that does nothing."""
    return _NOTHING if trace is None else trace.guard(stage)


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
