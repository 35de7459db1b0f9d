"""What an upload tells while it runs."""

from typing import Protocol


class UploadProgress(Protocol):
    """Sizes are in bytes. `sent` is called on several threads."""

    def planned(self, *, files: int, size: int) -> None:
        """What there is to have on the Hub. What it has already is never sent."""

    def sent(self, size: int) -> None:
        """So much more is on its way."""


class NoProgress:
    """Nobody watches."""

    def planned(self, *, files: int, size: int) -> None:
        pass

    def sent(self, size: int) -> None:
        pass
