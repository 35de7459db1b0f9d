"""Shows a run to a person at a terminal: where it is, and what it did."""

from typing import TextIO

from memory.synthesis.errors import SynthesisError
from memory.synthesis.events import STAGES, Event


class Terminal:
    """Takes a run's events. Raises SynthesisError for the one that says why there is no more."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def show(self, event: Event) -> None:
        match event:
            case {"type": "stage", "stage": stage, "message": message}:
                number = STAGES.index(stage) + 1 if stage in STAGES else 0
                self._write(f"[{number}/{len(STAGES)}] {stage}: {message}")
            case {"type": "log", "message": message}:
                self._write(f"      {message}")
            case {"type": "done", "message": message}:
                self._write(f"{message}")
            case {"type": "error", "message": message}:
                raise SynthesisError(str(message))

    def _write(self, line: str) -> None:
        self._out.write(f"{line}\n")
        self._out.flush()
