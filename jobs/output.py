"""What a job's process prints, made into lines fit for its log: few, short, and plain text."""

import re
import time
from collections import deque
from collections.abc import Callable, Iterator

LONGEST_LINE = 2000  # characters
LINES_PER_SECOND = 20
BURST = 200
"""Lines that may come at once, such as a traceback."""
LAST_LINES = 20
"""Lines that tell why a process died."""

_ESCAPE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class OutputLines:
    """Cuts output into lines and lets through as many as a log can bear.

    last: the last lines, among them those that were not let through.
    clock: seconds, for tests.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.last: deque[str] = deque(maxlen=LAST_LINES)
        self._partial = b""
        self._clock = clock
        self._filled_at = clock()
        self._allowance = float(BURST)
        self._left_out = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """Take in what was printed; return the lines to log."""
        # A progress bar redraws its line by a carriage return.
        *lines, self._partial = re.split(rb"[\r\n]+", self._partial + data)
        for line in lines:
            yield from self._pass(line)
        if len(self._partial) > LONGEST_LINE * 4:  # bytes of a character, at most
            line, self._partial = self._partial, b""
            yield from self._pass(line)

    def end(self) -> Iterator[str]:
        """Return what is left when nothing comes any more."""
        line, self._partial = self._partial, b""
        yield from self._pass(line)
        if self._left_out:
            yield self._omission()

    def _pass(self, data: bytes) -> Iterator[str]:
        text = _CONTROL.sub("", _ESCAPE.sub("", data.decode(errors="replace"))).rstrip()
        if not text:
            return
        if len(text) > LONGEST_LINE:
            text = f"{text[:LONGEST_LINE]}… ({len(text) - LONGEST_LINE:,} characters more)"
        self.last.append(text)
        self._refill()
        if self._allowance < 1:
            self._left_out += 1
            return
        if self._left_out:
            yield self._omission()
        self._allowance -= 1
        yield text

    def _refill(self) -> None:
        now = self._clock()
        earned = (now - self._filled_at) * LINES_PER_SECOND
        self._allowance = min(self._allowance + earned, BURST)
        self._filled_at = now

    def _omission(self) -> str:
        left_out, self._left_out = self._left_out, 0
        return f"… {left_out:,} lines left out"
