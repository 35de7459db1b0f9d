"""What was measured: a cell for each measure, server and round, failed ones included."""

import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

# What a server or a connection can do to a measure; anything else is a mistake in here.
FAILURES = (RuntimeError, ValueError, LookupError, OSError, httpx.HTTPError)


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure, or why there is none: exactly one of the two is set."""

    value: float | None = None
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"error": self.error} if self.value is None else {"value": self.value}


NOT_ASKED = Cell(error="not measured")


def failed(error: Exception) -> Cell:
    """Make a cell of what went wrong, on one line."""
    text = " ".join(str(error).split())
    return Cell(error=text or type(error).__name__)


def attempt(run: Callable[[], float]) -> Cell:
    """Take a measure, or make a cell of what went wrong."""
    try:
        return Cell(run())
    except FAILURES as error:
        return failed(error)


def report(what: str, cell: Cell, unit: str) -> None:
    """Show progress apart from the table."""
    text = f"failed: {cell.error}" if cell.value is None else f"{cell.value:.4g} {unit}"
    print(f"{what}: {text}", file=sys.stderr, flush=True)


def median(cells: Sequence[Cell]) -> Cell:
    """Return the median of a measure's rounds; a round that failed fails them all."""
    for cell in cells:
        if cell.value is None:
            return cell
    return Cell(statistics.median(cell.value for cell in cells if cell.value is not None))


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of all servers. cells: by the server's name; none for one left out."""

    measure: str
    unit: str
    cells: dict[str, Cell]

    def ratio(self, ours: str, theirs: str) -> float | None:
        """Return ours over theirs, or None unless both were measured."""
        above = self.cells.get(ours, NOT_ASKED).value
        below = self.cells.get(theirs, NOT_ASKED).value
        return above / below if above is not None and below else None

    def to_json(self) -> dict[str, Any]:
        cells = {name: cell.to_json() for name, cell in self.cells.items()}
        return {"measure": self.measure, "unit": self.unit, "servers": cells}
