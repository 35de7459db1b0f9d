"""The one table that a comparison prints, in Markdown."""

from collections.abc import Sequence

from benchmarks.results import NOT_ASKED, Cell, Row

ABSENT = "-"


def render(rows: Sequence[Row], ours: str, theirs: str) -> str:
    """Lay out the rows, both servers side by side and the ratio of ours to theirs.

    A cell that failed says so; why is listed below the table.
    """
    table = [["measure", "unit", ours, theirs, f"{ours} ÷ {theirs}"]]
    failures = []
    for row in rows:
        cells = [row.cells.get(name) for name in (ours, theirs)]
        table.append([row.measure, row.unit, *map(_text, cells), _number(row.ratio(ours, theirs))])
        failures += [
            f"{row.measure}, {name}: failed: {cell.error}"
            for name, cell in row.cells.items()
            if cell.error is not None and cell is not NOT_ASKED
        ]
    return "\n".join([*_aligned(table), *([""] if failures else []), *failures])


def _text(cell: Cell | None) -> str:
    if cell is None or cell is NOT_ASKED:
        return ABSENT
    return "failed" if cell.value is None else _number(cell.value)


def _number(value: float | None) -> str:
    """Write about three figures, and no exponent."""
    if value is None:
        return ABSENT
    decimals = sum(value < limit for limit in (100, 10, 1))
    return f"{value:,.{decimals}f}"


def _aligned(table: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
        for row in table
    ]
    return [lines[0], "| " + " | ".join("-" * width for width in widths) + " |", *lines[1:]]
