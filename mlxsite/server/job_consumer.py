"""The consumer of jobs as the server's child: started, restarted, leased the accelerator.

The other end of the socket is `jobs.server_link`, where the words on it are explained.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from inference.errors import EngineNotRunning, QueueFull
from jobs.consumer import BUSY_STATUS
from jobs.process import environment
from jobs.recovery import give_up_jobs
from jobs.server_link import GRANTED, STOP

logger = logging.getLogger(__name__)

STOP_SECONDS = 10.0
"""How long jobs and their consumer may take to end; jobs get three seconds of it."""
HEALTHY_SECONDS = 10.0
"""A consumer that lived for so long is started again at once."""
LONGEST_PAUSE = 60.0
RETRY_SECONDS = 0.2

Hold = Callable[[], AbstractAsyncContextManager[None]]
"""Has no answer generated inside of the block; may raise EngineNotRunning, QueueFull."""


class JobConsumer:
    """One consumer at a time, from `start` to `stop`.

    server_url: where jobs ask for text. hold: what an exclusive job's lease stands for.
    All of it runs on a thread of its own, so a busy event loop holds up no job, and the other
    way round.
    """

    def __init__(self, *, server_url: str, hold: Hold) -> None:
        self._environment = environment() | {"MLXSITE_SERVER_URL": server_url}
        self._hold = hold
        self._stopping = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Settle what an earlier server left, then run jobs; returns when that is settled."""
        give_up_jobs()
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def begin_stop(self) -> None:
        """Cancel all jobs, so that leases end; returns at once. Thread: any."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._stopping.set)

    def stop(self) -> None:
        """Cancel all jobs and return when no process of theirs is left. Thread: any."""
        self.begin_stop()
        if self._loop is not None:
            self._thread.join(STOP_SECONDS + 5)

    def _run(self) -> None:
        assert self._loop is not None
        try:
            self._loop.run_until_complete(self._keep_running())
        except Exception:
            logger.exception("jobs are not run any more; restart the server")
        finally:
            self._loop.close()

    async def _keep_running(self) -> None:
        pause = 0.0
        while not self._stopping.is_set():
            started_at = time.monotonic()
            status = await self._run_consumer()
            if self._stopping.is_set():
                return
            lived = time.monotonic() - started_at
            if status == BUSY_STATUS:  # another server's; ours takes over when that ends
                pause = LONGEST_PAUSE
            else:
                pause = 0.0 if lived >= HEALTHY_SECONDS else min(2 * pause + 0.5, LONGEST_PAUSE)
                logger.warning("the consumer of jobs ended (%s); starting another", status)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)

    async def _run_consumer(self) -> int:
        """Start a consumer and serve it to its end; returns its exit status."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = _spawn(theirs, self._environment)
        reader, writer = await asyncio.open_connection(sock=ours)
        stopping = asyncio.create_task(self._say_stop(writer))
        leases = _Leases(self._hold, writer)
        try:
            async for line in reader:
                leases.follow(line.decode().split())
        except OSError:
            pass  # it died with our words unread
        finally:
            stopping.cancel()
            await leases.end()
            writer.close()  # the consumer, if it is alive after all, now ends
        return await asyncio.to_thread(_reap, process)

    async def _say_stop(self, writer: asyncio.StreamWriter) -> None:
        await self._stopping.wait()
        writer.write(f"{STOP}\n".encode())
        await asyncio.sleep(STOP_SECONDS)
        writer.close()


class _Leases:
    """The leases of one consumer, each a task that holds the service. Thread: the loop's."""

    def __init__(self, hold: Hold, writer: asyncio.StreamWriter) -> None:
        self._hold = hold
        self._writer = writer
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def follow(self, words: list[str]) -> None:
        match words:
            case ["lease", job_id] if job_id not in self._tasks:
                self._tasks[job_id] = asyncio.create_task(self._lease(job_id))
            case ["release", job_id] if job_id in self._tasks:
                self._tasks.pop(job_id).cancel()

    async def end(self) -> None:
        """End all leases, as when their consumer has died."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _lease(self, job_id: str) -> None:
        async with AsyncExitStack() as stack:
            await self._enter_hold(stack)
            self._writer.write(f"{GRANTED} {job_id}\n".encode())
            await asyncio.Event().wait()  # until it is cancelled

    async def _enter_hold(self, stack: AsyncExitStack) -> None:
        while True:
            try:
                await stack.enter_async_context(self._hold())
            except EngineNotRunning:
                return  # there is nothing to hold back, nor a switch that could bring a model
            except QueueFull:
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return


def _spawn(connection: socket.socket, variables: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "jobs"],
        stdin=connection.fileno(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        env=variables,
    )


def _reap(process: "subprocess.Popen[bytes]") -> int:
    """Wait for the end of a consumer that was told to end, and see to it."""
    try:
        return process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()
