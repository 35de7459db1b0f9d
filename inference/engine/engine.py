"""The engine: one thread, an inbox, and a loop of steps.

    drain the inbox -> scheduler.admit, schedule -> runner.launch the next step
                    -> runner.collect the last one -> scheduler.update -> deliver

The next step is launched before the last is read, so the accelerator works while tokens
travel. The thread owns the runner, and with it every MLX array; others talk to it by
`submit`, `abort`, `call` and `interject`. No mlx is imported here.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from inference.engine import tracing
from inference.engine.call import Call, Hold
from inference.engine.callers import Callers
from inference.engine.config import EngineConfig
from inference.engine.decode_meter import DecodeMeter, Report
from inference.engine.idle_work import IdleWork
from inference.engine.kept_thread import KeptThread
from inference.engine.plan import LaunchedStep, TokenOutput, TokenScores
from inference.engine.runner import Runner
from inference.engine.scheduler import Scheduler
from inference.engine.sequence import Sequence
from inference.engine.stats import Counters, EngineStats
from inference.engine.stream import TokenStream, deliver
from inference.errors import EngineNotRunning
from inference.events import FinishReason, Lane
from inference.trace import Phase, measured

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Add:
    arrival: Sequence | Call[Any] | Hold


@dataclass(frozen=True, slots=True)
class _Abort:
    sequence_id: str
    outcome: str


@dataclass(frozen=True, slots=True)
class _Withdraw:
    arrival: Call[Any] | Hold


@dataclass(frozen=True, slots=True)
class _Interject:
    call: Call[Any]


class _Wake:
    pass


class _Stop:
    pass


_ABORTED = "abort"  # the outcome of a sequence that nobody wants any more
_Message = _Add | _Abort | _Withdraw | _Interject | _Wake | _Stop


class Engine:
    """Runs sequences on a thread of its own.

    `load` builds the runner; it is called on the engine thread, so that all arrays
    belong to that thread from the start.
    config: once started, with the runner's figures: no more places than it has rows.
    idle_work: what another thread wants done besides.
    report_rate: is told how fast sequences decoded that had the engine to themselves.
    """

    def __init__(
        self,
        load: Callable[[], Runner],
        config: EngineConfig,
        idle_work: IdleWork | None = None,
        report_rate: Report | None = None,
    ) -> None:
        self.config = config
        self._load: Callable[[], Runner] | None = load
        self._inbox: SimpleQueue[_Message] = SimpleQueue()
        self._idle_work = idle_work or IdleWork()
        self._idle_work.wake = partial(self._inbox.put, _Wake())
        self._thread = KeptThread(self._main)
        self._ready = threading.Event()
        self._load_error: Exception | None = None
        self._callers = Callers()
        # Engine thread only:
        self._scheduler = Scheduler(config)
        self._in_flight: LaunchedStep | None = None
        self._stopping = False
        self._counters = Counters()
        self._meter = DecodeMeter(report_rate)
        self._stats = EngineStats()

    # The callers' side: any thread.

    def start(self) -> None:
        """Start the thread and wait until the model is loaded; raises what loading raised."""
        self._thread.start()
        self._ready.wait()
        if self._load_error is not None:
            self._thread.join()
            raise self._load_error

    def stop(self, timeout_seconds: float = 10.0) -> bool:
        """End the thread after its current step; sequences still in it fail.

        Returns whether it has ended in time, and with it all that the runner held.
        """
        self._inbox.put(_Stop())
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    @property
    def is_alive(self) -> bool:
        return self._callers.is_open and self._thread.is_alive()

    @property
    def num_under_way(self) -> int:
        """Sequences and calls that have not ended, waiting ones included."""
        return self._callers.num_under_way

    @property
    def is_idle(self) -> bool:
        """Whether nothing that was submitted or called is under way."""
        return self._callers.is_idle

    def submit(self, sequence: Sequence) -> TokenStream:
        """Queue a sequence and return the stream of its outputs.

        Raises QueueFull when `max_waiting` sequences wait already, EngineNotRunning when
        the engine is not there. Must be called on a running event loop.
        """
        stream = TokenStream(asyncio.get_running_loop())
        self._callers.add_sequence(sequence.id, stream, self.config)
        if sequence.trace is not None:
            sequence.trace.begin(Phase.ADMISSION_WAIT)
        self._inbox.put(_Add(sequence))
        return stream

    def abort(self, sequence_id: str, reason: FinishReason | None = None) -> None:
        """Stop a sequence before its next step; harmless if it has ended.

        reason: why the answer is complete all the same, as by a stop string; for the figures.
        """
        self._inbox.put(_Abort(sequence_id, reason or _ABORTED))

    def call(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Queue a function that needs the engine for itself, and return its result to come.

        It waits its turn like a serial sequence and runs on the engine thread, between two
        steps, while no sequence holds a place; until it returns, nothing else happens in the
        engine. What it raises, the caller gets; the engine goes on. Cancelling the future
        takes a function that has not started out of the line; one that runs is not disturbed,
        so a long one should look for itself whether it is still wanted.

        Raises QueueFull and EngineNotRunning as `submit` does; the future gets EngineNotRunning
        if the engine stops first. Must be called on a running event loop.
        """
        call = Call(function)
        self._callers.add_call(call, self.config)
        self._inbox.put(_Add(call))
        call.future.add_done_callback(lambda future: self._forget(call))
        return asyncio.wrap_future(call.future)

    def hold(self) -> Hold:
        """Get in line to have nothing run here, for as long as somebody else needs the machine.

        The hold waits its turn like a call, but the thread goes on to read messages: those who
        wait meanwhile can be aborted, and the engine stopped. Must be released. Thread: any.
        Raises EngineNotRunning; never QueueFull, since who holds the engine is no request. What
        `Hold.granted` raises is EngineNotRunning, if the engine stops first.
        """
        hold = Hold()
        self._callers.add_hold(hold)
        self._inbox.put(_Add(hold))
        return hold

    def release(self, hold: Hold) -> None:
        """Let those behind a hold go on, whether it was granted or not. Thread: any."""
        self._callers.remove_hold(hold)
        self._inbox.put(_Withdraw(hold))

    def interject(self, function: Callable[[], T]) -> Future[T]:
        """Run a short function between two steps, ahead of whoever waits, and return its result
        to come.

        It runs on the engine thread as soon as that has read the message, whatever sequences
        hold places; a step may be in flight. What it raises, the caller gets. Thread: any.
        Raises EngineNotRunning; the future gets the same if the engine stops first.
        """
        call = Call(function)
        self._callers.add_interjection(call)
        self._inbox.put(_Interject(call))
        return call.future

    def _forget(self, call: Call[Any]) -> None:
        """Take a cancelled call out of the line. Thread: any."""
        if call.future.cancelled():
            self._callers.remove_call(call)
            self._inbox.put(_Withdraw(call))

    def stats(self) -> EngineStats:
        """Return the figures of the last step."""
        return self._stats

    # The engine's side.

    def _main(self) -> None:
        try:
            assert self._load is not None
            runner = self._load()
            self._load = None  # it may hold what the runner is to free in the end
            most = min(self.config.max_running, runner.max_rows or self.config.max_running)
            self.config = replace(self.config, max_running=most, kv_cost=runner.kv_cost)
            self._scheduler = Scheduler(self.config)
            self._note_stats(runner)
        except Exception as error:  # noqa: BLE001 - start() raises it on the caller's thread
            self._load_error = error
            self._ready.set()
            return
        self._callers.open()
        self._ready.set()
        try:
            while True:
                self._read_inbox()
                if self._stopping:
                    break
                self._run_call(runner)
                self._idle_work.do_one(idle=self._is_at_rest)
                self._step(runner)
                self._note_stats(runner)
            runner.close()
        except Exception:
            logger.exception("the engine died; it answers no more requests")
        finally:
            left, borrowers = self._callers.close()
            self._idle_work.end()
            self._fail_all(left, borrowers, "the engine stopped before the answer was complete")

    def _read_inbox(self) -> None:
        """Take in all messages; wait for one when there is nothing else to do."""
        at_rest = self._is_at_rest
        self._idle_work.busy = not at_rest
        idle = at_rest and not self._idle_work.is_due(idle=True)
        while not self._stopping and (idle or not self._inbox.empty()):
            match self._inbox.get():
                case _Add(arrival):
                    self._scheduler.add(arrival)
                case _Abort(sequence_id, outcome):
                    self._abort(sequence_id, outcome)
                case _Interject(call):
                    self._callers.remove_call(call)
                    call.run()
                case _Withdraw(arrival):
                    self._scheduler.withdraw(arrival)
                case _Wake():
                    pass
                case _Stop():
                    self._stopping = True
            idle = False

    @property
    def _is_at_rest(self) -> bool:
        """Whether nothing runs or waits. Thread: engine only."""
        return self._scheduler.is_idle and self._in_flight is None

    def _run_call(self, runner: Runner) -> None:
        """Run the call or grant the hold whose turn it is, once the last step has been read."""
        if self._in_flight is not None:
            return
        if hold := self._scheduler.find_hold():
            runner.rest()
            hold.grant()
        if (call := self._scheduler.take_call()) is None:
            return
        with self._callers.in_call(call):
            call.run()

    def _step(self, runner: Runner) -> None:
        """Launch one step and read the one before, first if the next depends on it."""
        news: list[TokenOutput] = []
        started = time.perf_counter()
        try:
            if self._scheduler.must_read_first:
                news += self._read(runner)
            for sequence in self._scheduler.admit():
                news += self._begin(runner, sequence)
            plan = self._scheduler.schedule()
            tracing.note_launch(plan)
            launched = runner.launch(plan) if plan else None
            if launched is not None:
                news += [self._fail(sequence, error) for sequence, error in launched.failed]
            news += self._read(runner)
            self._in_flight = launched
            if plan.decodes:
                self._counters.note_step(time.perf_counter() - started)
        except Exception as error:
            logger.exception("a step failed; its requests end, the engine goes on")
            self._in_flight = None
            news += [self._failure(sequence, error) for sequence in self._scheduler.drop_active()]
            runner.reset()
        finally:
            self._deliver(news)

    def _begin(self, runner: Runner, sequence: Sequence) -> list[TokenOutput]:
        self._callers.place(sequence.id, alone=sequence.serial)
        if sequence.trace is not None:
            sequence.trace.end(Phase.ADMISSION_WAIT)
        try:
            with measured(sequence.trace, Phase.CACHE_LOOKUP):
                sequence.num_computed = sequence.num_cached = runner.begin(sequence)
            tracing.note_begun(sequence)
            self._counters.prompt_tokens += len(sequence.prompt)
            self._counters.cached_tokens += sequence.num_cached
        except Exception as error:
            logger.exception("sequence %s could not begin", sequence.id)
            return [self._fail(sequence, error)]
        return [self._replay(sequence)] if sequence.output else []

    def _replay(self, sequence: Sequence) -> TokenOutput:
        """Tell what was saved of an equal sequence; this one goes on from there."""
        return TokenOutput(
            sequence.id,
            tuple(sequence.output),
            cached_tokens=sequence.num_cached,
            scores=tuple(sequence.scores),
        )

    def _read(self, runner: Runner) -> list[TokenOutput]:
        """Read the step in flight, if there is one."""
        step, self._in_flight = self._in_flight, None
        if step is None:
            return []
        result = runner.collect(step)
        tracing.note_read(step.plan)
        advanced = self._scheduler.update(step.plan, result)
        self._meter.note(step.plan)
        scores = {step.plan.decodes[row]: scores for row, scores in result.scores.items()}
        for sequence in advanced:
            if sequence in scores:
                sequence.scores.append(scores[sequence])
        self._counters.completion_tokens += len(advanced)
        return [self._output(sequence, scores.get(sequence)) for sequence in advanced]

    def _output(self, sequence: Sequence, scores: TokenScores | None) -> TokenOutput:
        if failure := sequence.failure:
            return self._fail(sequence, RuntimeError(failure))
        return TokenOutput(
            sequence.id,
            (sequence.output[-1],),
            sequence.finish_reason(),
            cached_tokens=sequence.num_cached,
            lane=Lane.BATCHED if sequence.shared_steps else Lane.SERIAL,
            scores=() if scores is None else (scores,),
        )

    def _abort(self, sequence_id: str, outcome: str) -> None:
        for sequence in self._scheduler.everyone():
            if sequence.id == sequence_id:
                sequence.is_complete = outcome != _ABORTED
                self._scheduler.end(sequence)
        if self._callers.drop_sequence(sequence_id):
            self._counters.ended[outcome] += 1

    def _fail(self, sequence: Sequence, error: Exception) -> TokenOutput:
        self._scheduler.end(sequence)
        return self._failure(sequence, error)

    def _failure(self, sequence: Sequence, error: Exception) -> TokenOutput:
        return TokenOutput(sequence.id, error=f"{type(error).__name__}: {error}")

    def _fail_all(
        self, sequence_ids: list[str], borrowers: list[Call[Any] | Hold], message: str
    ) -> None:
        self._deliver([TokenOutput(sequence_id, error=message) for sequence_id in sequence_ids])
        for borrower in borrowers:
            borrower.fail(EngineNotRunning(message))

    def _deliver(self, outputs: list[TokenOutput]) -> None:
        pairs = self._callers.route(outputs)
        for _, output in pairs:
            if output.is_last:
                self._counters.ended[output.finish_reason or "error"] += 1
        deliver(pairs)

    def _note_stats(self, runner: Runner) -> None:
        scheduler, counters = self._scheduler, self._counters
        self._stats = EngineStats(
            submitted=self._callers.num_submitted,
            ended=dict(counters.ended),
            prompt_tokens=counters.prompt_tokens,
            cached_tokens=counters.cached_tokens,
            completion_tokens=counters.completion_tokens,
            step_seconds=counters.step_seconds,
            step_counts=tuple(counters.step_counts),
            active=scheduler.num_running,
            pending=scheduler.num_pending,
            waiting=scheduler.num_waiting,
            kv_bytes=scheduler.kv_bytes,
            runner=runner.stats(),
        )
