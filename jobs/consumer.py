"""The process that takes jobs from the queue and runs them: a server's child, or by itself."""

import os
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType

from jobs import recovery
from jobs.errors import JobError
from jobs.lease import Lease, Unleased
from jobs.log import prune
from jobs.queue import make_clock, queues
from jobs.recovery import STOPPED, consumer_lock, take_over
from jobs.runner import Runner
from jobs.server_link import ServerLink

LOCK_PATIENCE = 6.0
"""Seconds that a consumer of a server that died has to end."""


BUSY_STATUS = 75
"""Exit status for AlreadyConsumed: try again later (EX_TEMPFAIL)."""


class AlreadyConsumed(JobError):
    """Another consumer of this machine is at work."""


def consume() -> None:
    """Run jobs until SIGINT or SIGTERM; then the running ones fail, the queued ones wait.

    Thread: main. Raises AlreadyConsumed.
    """
    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop.set()

    _consume(stop, Unleased(), lambda: STOPPED, on_signal, patience=0)


def consume_for_server(connection: socket.socket) -> None:
    """Run jobs until the server at the other end of `connection` says so, or is gone.

    Thread: main. Raises AlreadyConsumed.
    """
    stop = threading.Event()
    was_told = False

    def on_end(told: bool) -> None:
        nonlocal was_told
        was_told = told
        stop.set()

    _consume(
        stop,
        ServerLink(connection, on_end),
        lambda: STOPPED if was_told else None,
        # Signals are the server's business: Ctrl-C and a service manager's reach it as well.
        # Not SIG_IGN, which processes of jobs would inherit.
        lambda number, frame: None,
        patience=LOCK_PATIENCE,
    )
    if was_told:
        recovery.cancel_queued()


def _consume(
    stop: threading.Event,
    lease: Lease,
    stop_error: Callable[[], str | None],
    on_signal: Callable[[int, FrameType | None], None],
    patience: float,
) -> None:
    with consumer_lock() as lock:
        if not lock.acquire(patience=patience):
            raise AlreadyConsumed("another consumer runs the jobs of this machine already")
        take_over()
        prune()
        runner = Runner(owner=f"{recovery.host()}/{os.getpid()}", lease=lease)
        consumers = [queue.make_consumer(runner.run) for queue in queues()]
        clock = make_clock()
        for consumer in [*consumers, *filter(None, [clock])]:
            consumer.start()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, on_signal)  # in place of Huey's own
        while not stop.wait(1):
            for consumer in consumers:
                consumer.check_worker_health()
            runner.settle_rest()
        for consumer in [*consumers, *filter(None, [clock])]:
            consumer.stop()
        runner.stop(stop_error())
        for consumer in consumers:
            consumer.stop(graceful=True)
        runner.settle_rest()
