"""Looks at a folder of training data before anything is trained on it."""

from dataclasses import dataclass
from pathlib import Path

from jobs.errors import JobError
from jobs.finetune.data.formats import Format
from jobs.finetune.data.rows import TRAIN, VALID, read_rows


@dataclass(frozen=True, slots=True)
class Inspection:
    """How many rows there are, and their format. problem: what to mend first; "" if nothing."""

    n_train: int = 0
    n_valid: int = 0
    format: Format = Format.UNKNOWN
    problem: str = ""


def inspect(folder: Path) -> Inspection:
    """Count the rows and tell their format; the format is the first row's. Reads every line."""
    n_train, format, problem = _count(folder / TRAIN)
    valid = folder / VALID
    if problem or not valid.exists():
        return Inspection(n_train, 0, format, problem)
    n_valid, _, problem = _count(valid)
    return Inspection(n_train, n_valid, format, problem)


def _count(path: Path) -> tuple[int, Format, str]:
    count, format = 0, Format.UNKNOWN
    try:
        for row in read_rows(path):
            count += 1
            if count == 1:
                format = row.format
            elif row.format is not format:
                return count, format, f"{row.place}: {row.format}, the rows before are {format}"
    except JobError as error:
        return count, format, str(error)
    return count, format, "" if count else f"{path} has no rows"
