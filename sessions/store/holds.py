"""Which sessions somebody answers in, so that two tabs do not answer in one at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sessions.errors import AnsweredElsewhere


class Holds:
    """Names of sessions. Thread: any."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._lock = Lock()

    def take(self, name: str) -> None:
        """Hold a session; raises AnsweredElsewhere while another does."""
        with self._lock:
            if name in self._names:
                raise AnsweredElsewhere
            self._names.add(name)

    def give(self, name: str) -> None:
        with self._lock:
            self._names.discard(name)

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Hold a session inside of the block; raises as `take` does."""
        self.take(name)
        try:
            yield
        finally:
            self.give(name)
