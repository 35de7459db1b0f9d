"""Stop strings: where the answer ends, wherever tokens happen to be cut."""

from collections.abc import Sequence


class StopMatcher:
    """Passes text through until a stop string appears in it.

    Text that could be the beginning of a stop string is held back until that is decided,
    so no part of one is ever shown. The match that is complete first wins, since the answer ends
    there; of those complete at one place, the longest. So it is wherever the text is cut.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._held = ""
        self.matched: str | None = None

    def add(self, text: str) -> str:
        """Return what may be shown of the text so far; nothing after a match."""
        if self.matched is not None:
            return ""
        if not self._stops:
            return text
        text = self._held + text
        found = [(at, stop) for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            at, self.matched = min(found, key=lambda pair: (pair[0] + len(pair[1]), pair[0]))
            self._held = ""
            return text[:at]
        keep = self._possible_start(text)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def finish(self) -> str:
        """Return what was held back, now that no more text can complete a match."""
        held, self._held = self._held, ""
        return held

    def _possible_start(self, text: str) -> int:
        """Length of the longest end of `text` that some stop string begins with."""
        longest = 0
        for stop in self._stops:
            for length in range(min(len(stop) - 1, len(text)), longest, -1):
                if text.endswith(stop[:length]):
                    longest = length
                    break
        return longest
