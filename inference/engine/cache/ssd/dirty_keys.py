"""Which prefixes are to be on disk and are not yet."""

from collections.abc import Callable, Iterable
from typing import Final

Key = tuple[str, tuple[int, ...]]
"""A namespace and the exact tokens."""

# Prefixes that were lost stay on the list until something covers them. This many are
# remembered, or a server that writes too slowly would fill the memory with them.
_MOST: Final = 1024


class DirtyKeys:
    """In the order in which they came. Not locked."""

    def __init__(self) -> None:
        self._tried: dict[Key, bool] = {}

    def __len__(self) -> int:
        return len(self._tried)

    def add(self, key: Key, *, can_trim: bool) -> None:
        """Note a prefix; it stands for those that can be cut from it."""
        namespace, tokens = key
        if can_trim:
            self.discard(
                other
                for other in self._tried
                if other[0] == namespace and other[1] == tokens[: len(other[1])]
            )
        self._tried[key] = False
        if len(self._tried) > _MOST:
            del self._tried[next(iter(self._tried))]

    def discard(self, keys: Iterable[Key]) -> None:
        for key in list(keys):
            self._tried.pop(key, None)

    def discard_if(self, is_clean: Callable[[Key], bool]) -> None:
        self.discard(key for key in self._tried if is_clean(key))

    def next(self) -> Key | None:
        """Return the first that was not tried, and count it as tried from now on."""
        for key, tried in self._tried.items():
            if not tried:
                self._tried[key] = True
                return key
        return None

    def retry(self) -> None:
        """Let all be tried again."""
        self._tried = dict.fromkeys(self._tried, False)

    def clear(self) -> None:
        self._tried.clear()
