"""CSV in the dialects that people save: commas, semicolons, tabs or bars, quoted or not."""

import csv
from collections.abc import Iterable, Iterator

from jobs.dataset.errors import DatasetError

DELIMITERS = ",;\t|"
LONGEST_CELL = 16 * 2**20  # characters


def read_table(text: Iterable[str], needed: Iterable[str] = ()) -> Iterator[dict[str, str]]:
    """Yield the rows below a header as objects, keys trimmed. Cells that are missing are left out.

    text: lines with their ends. needed: columns that there have to be, whatever their case;
    their keys are written as here.
    Raises DatasetError for a table without them, and for what is no CSV.
    """
    csv.field_size_limit(LONGEST_CELL)
    source = iter(text)
    header_line = next((line for line in source if line.strip("\ufeff \t\r\n")), "")
    header_line = header_line.removeprefix("\ufeff")
    delimiter = _delimiter(header_line, list(needed))

    def from_header() -> Iterator[str]:
        yield header_line
        yield from source

    reader = csv.reader(from_header(), delimiter=delimiter, skipinitialspace=True)
    try:
        header = _header(next(reader, []), list(needed))
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield dict(zip(header, cells, strict=False))
    except csv.Error as error:
        raise DatasetError(
            f"line {reader.line_num} of the table is no CSV ({error}): check its quotes"
        ) from error


def _delimiter(line: str, needed: list[str]) -> str:
    """The one that splits the header into the columns that are needed, else into the most."""
    names = {name.casefold() for name in needed}

    def fit(delimiter: str) -> tuple[int, int]:
        cells = [cell.strip(" \"'\r\n").casefold() for cell in line.split(delimiter)]
        return len(names.intersection(cells)), len(cells)

    return max(DELIMITERS, key=fit)


def _header(cells: list[str], needed: list[str]) -> list[str]:
    spelled = {name.casefold(): name for name in needed}
    header = [spelled.get(cell.strip().casefold(), cell.strip()) for cell in cells]
    if missing := [name for name in needed if name not in header]:
        found = ", ".join(header)[:200] or "nothing"
        raise DatasetError(
            f"the table has no column {', '.join(missing)}: its first line must name "
            f"{','.join(needed)}, and it says {found}"
        )
    return header
