"""Which prefixes are to be on disk and are not yet."""

from collections.abc import Callable, Iterable
from typing import Final

Key = tuple[str, tuple[int, ...]]
"""A namespace and the exact tokens."""

# Prefixes that were lost stay on the list until something covers them. This many are
# remembered, or a server that writes too slowly would fill the memory with them.
MOST_LOST: Final = 1024


class DirtyKeys:
    """In the order in which they came. Not locked.

    A key is taken to be in memory until it turns out to be lost. Those in memory are as many as
    the memory holds; of the lost ones the oldest are forgotten, and only counted from then on.
    """

    def __init__(self) -> None:
        self._tried: dict[Key, bool] = {}
        self._lost: dict[Key, None] = {}
        self._forgotten = 0
        self._most = MOST_LOST  # keys, until the next look for those that are lost

    def __len__(self) -> int:
        return len(self._tried) + self.num_lost

    @property
    def num_lost(self) -> int:
        """How many are in memory no more; the forgotten ones are."""
        return len(self._lost) + self._forgotten

    @property
    def in_memory(self) -> list[Key]:
        """Those that are not known to be lost."""
        return list(self._tried)

    def add(self, key: Key, *, can_trim: bool) -> None:
        """Note a prefix; it stands for those that can be cut from it."""
        if can_trim:
            self.discard_if(lambda other: other != key and _begins_with(key, other))
        self._lost.pop(key, None)
        self._tried[key] = False

    def lose(self, key: Key) -> None:
        """Note that a prefix is not in memory any more; harmless if it is no longer dirty."""
        if self._tried.pop(key, None) is None:
            return
        self._lost[key] = None
        if len(self._lost) > MOST_LOST:
            del self._lost[next(iter(self._lost))]
            self._forgotten += 1

    def lose_unless(self, is_in_memory: Callable[[Key], bool]) -> None:
        """Look for those that were lost without anyone's notice, if there are many keys by now."""
        if len(self._tried) < self._most:
            return
        for key in self.in_memory:
            if not is_in_memory(key):
                self.lose(key)
        self._most = max(MOST_LOST, 2 * len(self._tried))  # looks cost in proportion to growth

    def discard(self, keys: Iterable[Key]) -> None:
        for key in list(keys):
            self._tried.pop(key, None)
            self._lost.pop(key, None)

    def discard_if(self, is_clean: Callable[[Key], bool]) -> None:
        self.discard(key for key in [*self._tried, *self._lost] if is_clean(key))

    def next(self) -> Key | None:
        """Return the first in memory that was not tried, and count it as tried from now on."""
        for key, tried in self._tried.items():
            if not tried:
                self._tried[key] = True
                return key
        return None

    def retry(self) -> None:
        """Let all be tried again."""
        self._tried = dict.fromkeys(self._tried, False)


def _begins_with(key: Key, other: Key) -> bool:
    (namespace, tokens), (other_namespace, beginning) = key, other
    if namespace != other_namespace or len(beginning) > len(tokens):
        return False
    # The last token first: most others part from these somewhere, and slices cost.
    last = len(beginning) - 1
    return tokens[last] == beginning[last] and tokens[: last + 1] == beginning
