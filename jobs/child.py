"""The process of one job: `python -m jobs.child`, started by `jobs.process` alone.

Its first line of standard input is the order, as JSON: which module to run, with what, and
where to write events. The end of standard input means that the process which watches this one
is gone; then the job ends as if it had been cancelled.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from importlib import import_module
from types import FrameType
from typing import Any

import django

from jobs.emitter import Emitter
from jobs.errors import Cancelled, JobError
from jobs.lines import encode
from jobs.outcome import Outcome

GRACE = 3.0
"""Seconds that a cancelled job has for its `finally` blocks."""


def main() -> int:
    order = json.loads(_first_line())
    orphaned = _follow_parent()
    signal.signal(signal.SIGTERM, _cancel)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="replace")  # type: ignore[union-attr]
    os.set_inheritable(order["events"], False)  # no process that the job starts shall hold it
    with open(order["events"], "w", encoding="utf-8") as events:  # noqa: PTH123 - a descriptor
        result = _run(order, Emitter(events))
        with contextlib.suppress(OSError):
            events.write(encode(result))
            events.flush()
    if orphaned.is_set():
        _kill_group()
    return 0 if result["type"] == "outcome" else 1


def _run(order: dict[str, Any], emit: Emitter) -> dict[str, Any]:
    """Do the work; return the last line to write, which says how it went."""
    try:
        django.setup()
        if order["exclusive"]:
            from inference.runtime import prepare_backend  # noqa: PLC0415 - costs others time

            prepare_backend()
        outcome: Outcome = import_module(order["run"]).run(order["config"], emit)
    except Cancelled:
        return {"type": "cancelled"}
    except JobError as error:
        return {"type": "error", "error": str(error)}
    except BaseException as error:  # noqa: BLE001 - SystemExit among them: a library's exit()
        traceback.print_exc()
        return {"type": "error", "error": f"{type(error).__name__}: {error}".removesuffix(": ")}
    return {"type": "outcome", "output_dir": outcome.output_dir, "summary": outcome.summary}


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        data = os.read(0, 65536)
        if not data:
            sys.exit("nobody says what to run")
        line += data
    return line


def _follow_parent() -> threading.Event:
    """Watch for the end of standard input, and leave an empty one to the job."""
    parent = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    orphaned = threading.Event()

    def follow() -> None:
        while os.read(parent, 4096):
            pass
        orphaned.set()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE)
        _kill_group()

    threading.Thread(target=follow, name="parent", daemon=True).start()
    return orphaned


def _kill_group() -> None:
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)


def _cancel(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once: the second would break a clean-up
    raise Cancelled


if __name__ == "__main__":
    sys.exit(main())
