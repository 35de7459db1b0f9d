"""Rows of a Parquet file, by pyarrow, which the extra `parquet` brings."""

import importlib
import shutil
import tempfile
from collections.abc import Iterator
from typing import IO, Any

from jobs.dataset.errors import DatasetError

MOST_BYTES = 4 * 2**30  # of a file
BATCH = 64  # rows


def read_parquet(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield rows, a batch in memory at a time. The file goes to the disk first: it ends with its
    index. Raises DatasetError without pyarrow, for a broken file, and for one that is too large.
    """
    try:
        parquet = importlib.import_module("pyarrow.parquet")
        errors = importlib.import_module("pyarrow.lib").ArrowException
    except ImportError as error:
        raise DatasetError(
            "Parquet files are read by pyarrow, which is not installed: pip install "
            "'mlxsite[parquet]'"
        ) from error
    with tempfile.TemporaryFile(prefix="mlxsite-parquet-") as whole:
        shutil.copyfileobj(_Counted(file), whole, 2**20)
        try:
            for batch in parquet.ParquetFile(whole).iter_batches(batch_size=BATCH):
                yield from batch.to_pylist()
        except (errors, ValueError, OSError) as error:
            raise DatasetError(f"the Parquet file is broken: {str(error)[:200]}") from error


class _Counted:
    """A file of which no more than `MOST_BYTES` are read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = MOST_BYTES

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise DatasetError(f"a Parquet file has more than {MOST_BYTES:,} bytes")
        return data
