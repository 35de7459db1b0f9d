"""A dataset that is built at a terminal: a bar of the progress, and above it what the job logs.

Where standard error is no terminal there is no bar, and stages are lines as well.
"""

import json
import sys
from typing import Any, Self

from tqdm import tqdm

from jobs.text import line_of

BAR = "{percentage:3.0f}% |{bar}| {desc} {elapsed}"
STEPS = 1000  # of the bar


class Terminal:
    """A sink for an `Emitter`. Use it in a `with`, which ends the bar."""

    def __init__(self) -> None:
        # disable=None: silent unless standard error is a terminal.
        self._bar: tqdm[Any] = tqdm(
            total=STEPS, bar_format=BAR, dynamic_ncols=True, disable=None, leave=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.close()

    def write(self, line: str) -> None:
        event = json.loads(line)
        if event["type"] == "stage" and not self._bar.disable:
            self._bar.n = int(event["progress"] * STEPS)
            self._bar.set_description_str(event["message"])
        else:
            self._bar.write(line_of(event), file=sys.stderr)

    def flush(self) -> None:
        pass
