"""Reads files of rows, one JSON object a line. Faults name the file and the line."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.model_files import open_file
from jobs.errors import JobError
from jobs.finetune.data.formats import Format, format_of

TRAIN, VALID = "train.jsonl", "valid.jsonl"
MAX_LINE_BYTES = 64 * 2**20
# A line that was read as UTF-8 has halves of characters only where they are spelt.
_SPELT_HALF = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Row:
    """One row, and where it stands: `train.jsonl line 3`."""

    value: dict[str, Any]
    place: str

    @property
    def format(self) -> Format:
        return format_of(self.value)


class BadRow(JobError):
    """A line that is no row of training data."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file, one in memory at a time; blank lines are none.

    Raises JobError for a file that cannot be read, BadRow at the first line that is no object.
    """
    try:
        with open_file(path) as file:
            number = 0
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                place = f"{path.name} line {number}"
                if len(line) > MAX_LINE_BYTES:
                    raise BadRow(place, f"longer than {MAX_LINE_BYTES:,} bytes; split the row")
                if line.strip():
                    yield Row(_parse(line, place), place)
    except FileNotFoundError as error:
        raise JobError(f"{path} not found") from error
    except OSError as error:
        raise JobError(f"{path} cannot be read ({error.strerror})") from error


def _parse(line: bytes, place: str) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig").rstrip()
        value = json.loads(text)
        if _SPELT_HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise BadRow(place, f"half of a character, {half}, is no text; remove it") from error
    except UnicodeDecodeError as error:
        raise BadRow(place, "not UTF-8; save the file in that encoding") from error
    except json.JSONDecodeError as error:
        raise BadRow(place, f"not JSON: {error.msg}, column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise BadRow(place, "not JSON: nested too deep, or a number too long") from error
    if not isinstance(value, dict):
        raise BadRow(place, f"a {type(value).__name__}, where an object is expected")
    return value
