"""The rows of a file of a dataset repo, one in memory at a time where its format allows."""

import gzip
import io
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

from jobs.dataset.errors import DatasetError
from jobs.dataset.hub_files.choice import format_of
from jobs.dataset.hub_files.parquet import read_parquet
from jobs.dataset.parsing.json_stream import read_json_rows
from jobs.dataset.parsing.tables import read_table

MOST_BYTES = 8 * 2**30  # of a file, unpacked


def read_rows(path: str, file: IO[bytes], column: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file that is read from its beginning.

    path: its name, which tells the format. column: one that has to be there.
    Raises DatasetError for what is not as its name says, and for more than `MOST_BYTES`.
    """
    format = format_of(path)
    if format == "parquet":
        yield from read_parquet(file)
        return
    plain: IO[bytes] = file
    if path.casefold().endswith(".gz"):
        plain = cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    limited = io.BufferedReader(_Limited(plain))
    text = io.TextIOWrapper(limited, encoding="utf-8-sig", errors="replace", newline="")
    try:
        if format in ("csv", "tsv"):
            for row in read_table(text, [column]):
                yield {column: "", **row}  # the header has it, though a line may be cut
        else:
            yield from read_json_rows(text)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DatasetError(f"{path} is no whole gzip file ({error})") from error


class _Limited(io.RawIOBase):
    """Another file, of which no more than `MOST_BYTES` are given out."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise DatasetError(f"a file has more than {MOST_BYTES:,} bytes: lower max_rows")
        buffer[: len(data)] = data
        return len(data)
