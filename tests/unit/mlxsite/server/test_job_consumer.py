"""The consumer as the server's child: leases, restarts, and the end of both."""

import asyncio
import contextlib
import logging
import subprocess
import sys
import threading
import time

import pytest

from inference.errors import EngineNotRunning, QueueFull
from jobs.consumer import BUSY_STATUS
from mlxsite.server import job_consumer
from mlxsite.server.job_consumer import JobConsumer

PATIENCE = 10.0

# What a child needs to talk to the server, as `jobs.server_link` does.
PRELUDE = """
import os, signal, socket, sys, time
server = socket.socket(fileno=0)
lines = server.makefile("r")
def say(*words):
    server.sendall(" ".join(words).encode() + b"\\n")
def touch(path):
    open(path, "a").close()
"""


class Machine:
    """What is held: counts who has it, and who has ever had it."""

    def __init__(self, error=None):
        self.error = error
        self.holders = self.granted = 0
        self.is_free = threading.Event()
        self.is_free.set()

    @contextlib.asynccontextmanager
    async def hold(self):
        if self.error is not None:
            raise self.error
        await asyncio.to_thread(self.is_free.wait, PATIENCE)
        self.holders += 1
        self.granted += 1
        try:
            yield
        finally:
            self.holders -= 1


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


@pytest.fixture
def run(monkeypatch):
    """Start a server's side whose consumers run the given programs, one after the other."""
    started = []

    def run(*programs, machine=None):
        spawned = []

        def spawn(connection, variables):
            program = programs[min(len(spawned), len(programs) - 1)]
            spawned.append(
                subprocess.Popen(
                    [sys.executable, "-c", PRELUDE + program],
                    stdin=connection.fileno(),
                    start_new_session=True,
                    env=variables,
                )
            )
            return spawned[-1]

        monkeypatch.setattr(job_consumer, "_spawn", spawn)
        monkeypatch.setattr(job_consumer, "give_up_jobs", lambda: None)
        consumer = JobConsumer(server_url="http://x", hold=(machine or Machine()).hold)
        consumer.start()
        started.append(consumer)
        return consumer, spawned

    yield run
    for consumer in started:
        consumer.stop()


OBEDIENT = """
for line in lines:
    if line.split() == ["stop"]:
        sys.exit(0)
"""


def test_a_consumer_is_told_to_stop_and_is_waited_for(run):
    consumer, spawned = run(OBEDIENT)
    until(lambda: spawned)

    consumer.stop()

    assert spawned[0].returncode == 0
    assert not consumer._thread.is_alive()


def test_a_consumer_that_does_not_stop_is_killed(run, monkeypatch):
    monkeypatch.setattr(job_consumer, "STOP_SECONDS", 0.3)
    consumer, spawned = run("time.sleep(60)")
    until(lambda: spawned)

    consumer.stop()

    assert spawned[0].returncode == -9


def test_a_lease_is_granted_when_the_machine_is_free_and_lasts_until_it_is_released(run, tmp_path):
    machine, granted, gate = Machine(), tmp_path / "granted", tmp_path / "gate"
    machine.is_free.clear()
    run(
        f"""
say("lease", "job_1")
assert lines.readline().split() == ["granted", "job_1"]
touch({str(granted)!r})
while not os.path.exists({str(gate)!r}):
    time.sleep(0.01)
say("release", "job_1")
"""
        + OBEDIENT,
        machine=machine,
    )

    time.sleep(0.2)
    early = granted.exists()
    machine.is_free.set()
    until(granted.exists)
    held = machine.holders
    gate.touch()
    until(lambda: machine.holders == 0)

    assert (early, held, machine.granted) == (False, 1, 1)


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_lease_ends_with_its_consumer_and_the_next_one_gets_its_own(run, tmp_path, end, caplog):
    machine = Machine()
    lease = 'say("lease", "job_1"); lines.readline()\n'

    with caplog.at_level(logging.WARNING):
        _, spawned = run(
            lease + end, lease + f"touch({str(tmp_path / 'second')!r})" + OBEDIENT, machine=machine
        )
        until((tmp_path / "second").exists)

    assert (machine.granted, machine.holders) == (2, 1)
    assert spawned[0].returncode in (3, -9)
    assert "the consumer of jobs ended" in caplog.text


def test_a_lease_that_nobody_wants_any_more_leaves_the_line(run, tmp_path):
    machine = Machine()
    machine.is_free.clear()
    run(
        f"""
say("lease", "job_1")
say("release", "job_1")
touch({str(tmp_path / "asked")!r})
"""
        + OBEDIENT,
        machine=machine,
    )
    until((tmp_path / "asked").exists)

    time.sleep(0.1)
    machine.is_free.set()
    time.sleep(0.1)

    assert machine.holders == 0


def test_without_an_engine_there_is_nothing_to_wait_for(run, tmp_path):
    run(
        f'say("lease", "job_1"); lines.readline(); touch({str(tmp_path / "granted")!r})\n'
        + OBEDIENT,
        machine=Machine(EngineNotRunning("it died")),
    )

    until((tmp_path / "granted").exists)


def test_a_lease_that_finds_no_place_in_the_line_tries_again(run, tmp_path, monkeypatch):
    monkeypatch.setattr(job_consumer, "RETRY_SECONDS", 0.01)
    machine = Machine(QueueFull("3 requests are waiting"))
    run(
        f"""
say("lease", "job_1")
touch({str(tmp_path / "asked")!r})
lines.readline()
touch({str(tmp_path / "granted")!r})
"""
        + OBEDIENT,
        machine=machine,
    )
    until((tmp_path / "asked").exists)

    time.sleep(0.1)
    early = (tmp_path / "granted").exists()
    machine.error = None
    until((tmp_path / "granted").exists)

    assert (early, machine.holders) == (False, 1)


def test_where_another_server_runs_the_jobs_ours_waits_in_silence(run, monkeypatch, caplog):
    monkeypatch.setattr(job_consumer, "LONGEST_PAUSE", 0.1)

    with caplog.at_level(logging.WARNING):
        _, spawned = run(f"sys.exit({BUSY_STATUS})", OBEDIENT)
        until(lambda: len(spawned) == 2)

    assert caplog.text == ""


def test_stopping_needs_no_consumer_to_be_there(run):
    consumer, spawned = run("sys.exit(1)")
    until(lambda: spawned and spawned[0].poll() is not None)

    started_at = time.monotonic()
    consumer.stop()

    assert time.monotonic() - started_at < 5


def test_one_that_was_never_started_is_stopped_all_the_same():
    consumer = JobConsumer(server_url="http://x", hold=Machine().hold)

    consumer.begin_stop()
    consumer.stop()

    assert not consumer._thread.is_alive()
