"""A run at a terminal: a bar of its iterations, with loss, speed and time left, above it lines.

Where standard error is no terminal there is no bar, and measurements are lines as well.
"""

import json
import sys
from typing import Any, Self

from tqdm import tqdm

from jobs import text

BAR = "{desc} {percentage:3.0f}% |{bar}| {n_fmt}/{total_fmt}, {remaining} left{postfix}"


class Terminal:
    """A sink for an `Emitter`. Use it in a `with`, which clears the bar.

    iterations: of the whole run.
    """

    def __init__(self, iterations: int) -> None:
        # disable=None: silent unless standard error is a terminal.
        self._bar: tqdm[Any] = tqdm(
            desc="Loading", total=iterations, bar_format=BAR, dynamic_ncols=True, disable=None
        )
        self._began = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.close()

    def write(self, line: str) -> None:
        event = json.loads(line)
        told_by_bar = event["type"] == "stage" or event.get("kind") == "train"
        if self._bar.disable or not told_by_bar:
            self._bar.write(_line_of(event), file=sys.stderr)
        elif event["type"] == "stage":
            self._bar.set_description_str(event["message"])
        else:
            self._advance(event)

    def flush(self) -> None:
        pass

    def _advance(self, event: dict[str, Any]) -> None:
        if not self._began:
            # A run that goes on did not just do what it had done before.
            self._bar.reset()
            self._began = True
            self._bar.initial = event["step"]
        self._bar.n = event["step"]
        self._bar.set_description_str("Training", refresh=False)
        self._bar.set_postfix_str(f"loss {event['loss']:.4g}, {event['tokens_per_sec']:.0f} tok/s")


def _line_of(event: dict[str, Any]) -> str:
    if event.get("kind") == "val":
        loss = "no number" if event["loss"] is None else f"{event['loss']:.4g}"
        return f"iteration {event['step']:,}: validation loss {loss}"
    return text.line_of(event)
