"""A kind of job that does as its config says; for tests, which register it as they need."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.outcome import Outcome


def run(config: dict[str, Any], emit: Emitter) -> Outcome:
    """Follow `config["steps"]`, a list of lists: what to do, and with what."""
    output_dir = config.get("output_dir")
    try:
        for name, *arguments in config.get("steps", ()):
            _STEPS[name](emit, *arguments)
    finally:
        if "clean_up" in config:
            Path(config["clean_up"]).write_text("clean")
    return Outcome(output_dir, config.get("summary", {}))


def _write(emit: Emitter, text: str) -> None:
    os.write(1, text.encode())


def _fail(emit: Emitter, text: str) -> None:
    raise JobError(text)


def _crash(emit: Emitter, text: str) -> None:
    raise RuntimeError(text)


def _kill(emit: Emitter, name: str) -> None:
    os.kill(os.getpid(), signal.Signals[name])
    time.sleep(5)


def _wait_for(emit: Emitter, path: str) -> None:
    while not Path(path).exists():
        time.sleep(0.01)


def _ignore_term(emit: Emitter) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _start_process(emit: Emitter, pid_file: str) -> None:
    """Leave a process behind that nobody waits for and that holds the pipes open."""
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    Path(pid_file).write_text(str(os.posix_spawn(sys.executable, sleeper, os.environ)))


def _write_event(emit: Emitter, text: str) -> None:
    """Write past the emitter, to where events go."""
    emit._sink.write(text)
    emit._sink.flush()


_STEPS = {
    "log": Emitter.log,
    "stage": Emitter.stage,
    "metric": Emitter.metric,
    "write": _write,
    "write_event": _write_event,
    "sleep": lambda emit, seconds: time.sleep(seconds),
    "fail": _fail,
    "crash": _crash,
    "exit": lambda emit, status: os._exit(status),
    "quit": lambda emit, status: sys.exit(status),
    "kill": _kill,
    "touch": lambda emit, path: Path(path).touch(),
    "pid": lambda emit, path: Path(path).write_text(str(os.getpid())),
    "wait_for": _wait_for,
    "ignore_term": _ignore_term,
    "start_process": _start_process,
    "stdin": lambda emit: emit.log(repr(sys.stdin.read())),
    "hang": lambda emit: time.sleep(3600),
}
