"""Which prefixes are to be on disk and are not yet."""

from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Final

from inference.engine.cache.ssd.key_tree import Key, KeyTree

# Prefixes that were lost stay on the list until something covers them. This many are
# remembered, or a server that writes too slowly would fill the memory with them.
MOST_LOST: Final = 1024
_LOOKS: Final = 2


class DirtyKeys:
    """In the order in which they came. Not locked.

    A key is taken to be held, in memory or by what waits to be written, until it turns out to be
    lost. Those held are as many as there is room for; of the lost ones the oldest are forgotten,
    and only counted from then on.
    """

    def __init__(self) -> None:
        self._held: KeyTree[int] = KeyTree()  # the round in which each was tried last
        self._lost: KeyTree[bool] = KeyTree()
        self._forgotten = 0
        self._round = 1
        self._line: deque[Key] | None = None  # to be tried, not all still held; None for all
        self._unlooked: deque[Key] = deque()  # whether they are lost; not all still held

    def __len__(self) -> int:
        return len(self._held) + self.num_lost

    @property
    def num_lost(self) -> int:
        """How many nobody holds any more; the forgotten ones are."""
        return len(self._lost) + self._forgotten

    @property
    def held(self) -> list[Key]:
        """Those that are not known to be lost."""
        return list(self._held)

    def add(self, key: Key, *, can_trim: bool) -> None:
        """Note a prefix; it stands for those that can be cut from it."""
        self.discard(other for other in self._covered(key, can_trim=can_trim) if other != key)
        self._lost.pop(key)
        self._held.put(key, 0)
        if self._line is not None:
            self._line.append(key)

    def lose(self, key: Key) -> None:
        """Note that nobody holds a prefix any more; harmless if it is no longer dirty."""
        if self._held.pop(key) is None:
            return
        self._lost.put(key, True)
        if len(self._lost) > MOST_LOST:
            self._lost.pop_oldest()
            self._forgotten += 1

    def lose_unless(self, is_held: Callable[[Key], bool]) -> None:
        """Look for some that were lost without anyone's notice, if there are many keys by now.

        Called before each that is added: twice as many are looked at as come.
        """
        if len(self._held) < MOST_LOST:
            return
        for _ in range(_LOOKS):
            if not self._unlooked:
                self._unlooked.extend(self._held)
            key = self._unlooked.popleft()
            if not is_held(key):
                self.lose(key)

    def discard(self, keys: Iterable[Key]) -> None:
        for key in list(keys):
            self._held.pop(key)
            self._lost.pop(key)

    def discard_covered(self, key: Key, *, can_trim: bool) -> None:
        """Take off the list what an entry covers that is on disk."""
        self.discard(self._covered(key, can_trim=can_trim))

    def next(self) -> Key | None:
        """Return the first held that was not tried, and count it as tried from now on."""
        if self._line is None:
            self._line = deque(self._held)
        while self._line:
            key = self._line.popleft()
            if self._held.get(key, self._round) < self._round:
                self._held.put(key, self._round)
                return key
        return None

    def retry(self) -> None:
        """Let all be tried again."""
        self._round += 1
        self._line = None

    def _covered(self, key: Key, *, can_trim: bool) -> Collection[Key]:
        return [
            *self._held.covered(key, can_trim=can_trim),
            *self._lost.covered(key, can_trim=can_trim),
        ]
