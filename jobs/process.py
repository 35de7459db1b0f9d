"""A job's own process, seen from outside: started, read, told to stop."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[1]
READ_BYTES = 65536
# What prints for a terminal shall print for a log.
QUIET = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "COLUMNS": "100",
    "TQDM_MININTERVAL": "5",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


def environment() -> dict[str, str]:
    """The variables of a process that runs our code: ours, and where our code is."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "DJANGO_SETTINGS_MODULE": "mlxsite.settings",
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
    }


class JobProcess:
    """One run of `jobs.child`, in a session of its own. Use it in a `with`, on one thread.

    Leaving the block kills whatever is left of the process and of those that it started.
    """

    def __init__(self, *, run: str, exclusive: bool, config: dict[str, Any]) -> None:
        self._events, child_end = os.pipe()
        order = {"run": run, "exclusive": exclusive, "config": config, "events": child_end}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "jobs.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[child_end],
                start_new_session=True,
                env=environment() | QUIET,
            )
        except BaseException:
            os.close(self._events)
            raise
        finally:
            os.close(child_end)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._output = self._process.stdout.fileno()
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._events, self._output):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)
        # The pipe stays open: its end tells the process that we are gone.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()
        self._process.wait()
        self._selector.close()
        os.close(self._events)
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """The exit status; None while it runs, negative if a signal ended it."""
        return self._process.poll()

    def read(self, patience: float) -> Iterator[tuple[bool, bytes]]:
        """Return what it wrote, after `patience` seconds of silence at most.

        Each with whether it is of its events, not of its output.
        """
        for key, _ in self._selector.select(patience):
            try:
                data = os.read(key.fd, READ_BYTES)
            except BlockingIOError:
                continue
            if data:
                yield key.fd == self._events, data
            else:
                self._selector.unregister(key.fd)

    def terminate(self) -> None:
        """Ask it to end; those that it started are its own affair until `kill`."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
