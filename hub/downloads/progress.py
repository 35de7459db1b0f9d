"""What a download tells while it runs; the tracker and the progress bar both listen."""

from typing import Protocol


class Progress(Protocol):
    """Called on the thread of the download, in this order; sizes are in bytes."""

    def planned(self, *, files: int, size: int) -> None:
        """What there is to have, bytes that are here already included."""

    def began(self, file: str) -> None:
        """A file is looked at, or fetched."""

    def found(self, size: int) -> None:
        """So much of the file was on this machine."""

    def received(self, size: int) -> None:
        """So much of the file came from the Hub."""

    def dropped(self, size: int) -> None:
        """So much of the file, found or received, has to come again."""

    def finished(self) -> None:
        """The file is whole."""
