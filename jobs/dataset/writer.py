"""Writes rows as they come, and splits them when their number is known."""

import json
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from jobs.dataset.rows import Row
from jobs.finetune.data.rows import TRAIN, VALID

_ROWS = ".rows.jsonl"


def num_train(num_rows: int) -> int:
    """How many of the rows are for training: nine of ten, and one at least."""
    return max(1, num_rows * 9 // 10)


class RowWriter:
    """Rows of one dataset, in a folder; use it in a `with`. count: how many there are."""

    def __init__(self, folder: Path) -> None:
        self.count = 0
        self._folder = folder
        self._last = b""
        self._file = (folder / _ROWS).open("w+b")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, row: Row) -> None:
        """Append a row. Half characters, which are no text, become question marks."""
        text = json.dumps(row, ensure_ascii=False, allow_nan=False)
        self._last = text.encode("utf-8", "replace") + b"\n"
        self._file.write(self._last)
        self.count += 1

    def split(self) -> tuple[int, int]:
        """Write `train.jsonl` and `valid.jsonl`, and return how many rows each has.

        The rows keep their order. A single one is in both files.
        """
        train = num_train(self.count)
        self._file.seek(0)
        with (self._folder / TRAIN).open("wb") as file:
            for _ in range(train):
                file.write(self._file.readline())
            _flush(file)
        with (self._folder / VALID).open("wb") as file:
            if self.count > train:
                shutil.copyfileobj(self._file, file)
            else:
                file.write(self._last)
            _flush(file)
        self._file.close()
        (self._folder / _ROWS).unlink()
        return train, max(self.count - train, 1)


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
