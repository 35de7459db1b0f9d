"""What a job tells of itself while it runs, one JSON object a line."""

import contextlib
import threading
from typing import Any, Protocol

from jobs.lines import encode


class Sink(Protocol):
    """Where lines go: a text file, or a StringIO in a test."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


class Emitter:
    """Writes the events of one job. Thread: any.

    Nothing here raises: a job does not fail because its log does. `started`, `done` and
    `failed` are written by whoever runs the job.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._lock = threading.Lock()

    def log(self, line: str) -> None:
        """Tell people something."""
        self._write({"type": "log", "line": str(line)})

    def stage(self, stage: str, progress: float, message: str = "", **more: Any) -> None:
        """Tell how far the job is; the row shows it.

        stage: a short name of what goes on now. progress: of the whole job, from 0 to 1.
        more: further fields of the event, such as `output_dir` of the last one.
        """
        event = {"type": "stage", "stage": stage, "progress": progress, "message": message}
        self._write(event | more)

    def metric(self, kind: str, step: int, loss: float, **more: Any) -> None:
        """Tell a measurement of a training step.

        kind: `train` or `val`. more: `grad_norm`, `learning_rate`, `tokens_per_sec` and so on;
        also `progress` and `message`, which the row shows as a stage's.
        """
        self._write({"type": "metric", "kind": kind, "step": step, "loss": loss} | more)

    def _write(self, event: dict[str, Any]) -> None:
        line = encode(event)
        # ValueError: the sink is closed, as in a thread that outlives the job.
        with contextlib.suppress(OSError, ValueError), self._lock:
            self._sink.write(line)
            self._sink.flush()
