"""Bytes a second over the last few seconds."""

import threading
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 5.0
# Blocks of a fast connection are counted together, so that the window stays short to add up.
SAMPLE_SECONDS = 0.1
# A rate over less than this says nothing.
SHORTEST_SECONDS = 1.0


class Rate:
    """Thread: one adds, any asks. timer: seconds, monotonic."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._began: float | None = None
        self._samples: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def add(self, size: int) -> None:
        now = self._timer()
        with self._lock:
            if self._began is None:
                self._began = now
            if self._samples and now - self._samples[-1][0] < SAMPLE_SECONDS:
                since, so_far = self._samples.pop()
                self._samples.append((since, so_far + size))
            else:
                self._samples.append((now, size))

    def per_second(self) -> int:
        now = self._timer()
        with self._lock:
            if self._began is None:
                return 0
            while self._samples and self._samples[0][0] < now - WINDOW_SECONDS:
                self._samples.popleft()
            span = min(max(now - self._began, SHORTEST_SECONDS), WINDOW_SECONDS)
            return int(sum(size for _, size in self._samples) / span)
