"""Rows of files in every format that is read."""

import gzip
import io
import json
import sys

import pytest

from jobs.dataset.errors import DatasetError
from jobs.dataset.hub_files import reading
from jobs.dataset.hub_files.reading import read_rows

ROWS = [{"text": "a", "label": "1"}, {"text": "ü, b", "label": "2"}]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
CSV = 'text,label\na,1\n"ü, b",2\n'.encode()
FILES = {
    "a.jsonl": LINES,
    "a.ndjson": b"\xef\xbb\xbf" + LINES,
    "a.json": json.dumps(ROWS).encode(),
    "b.json": LINES,
    "a.csv": CSV,
    "a.tsv": "text\tlabel\na\t1\nü, b\t2\n".encode(),
    "a.jsonl.gz": gzip.compress(LINES),
    "a.csv.gz": gzip.compress(CSV),
}


def read(path, data, column="text"):
    return list(read_rows(path, io.BytesIO(data), column))


@pytest.mark.parametrize("path", FILES)
def test_every_format_gives_the_same_rows(path):
    assert read(path, FILES[path]) == ROWS


def test_a_file_is_read_no_further_than_it_takes():
    file = io.BytesIO(LINES * 100_000)

    next(read_rows("a.jsonl", file, "text"))

    assert file.tell() < len(LINES) * 100_000 / 10


@pytest.mark.parametrize(
    "data",
    [FILES["a.jsonl.gz"][:-9], b"no gzip", b"\x1f\x8b" + b"x" * 20],
    ids=["cut off", "no gzip", "garbage"],
)
def test_a_broken_gzip_file_is_told(data):
    with pytest.raises(DatasetError, match="no whole gzip file"):
        read("a.jsonl.gz", data)


def test_a_bomb_is_not_unpacked_to_its_end(monkeypatch):
    monkeypatch.setattr(reading, "MOST_BYTES", 10**6)

    with pytest.raises(DatasetError, match="more than 1,000,000 bytes"):
        read("a.csv.gz", gzip.compress(b"text\n" + b"a\n" * 10**6))


def test_a_table_without_the_column_is_told():
    with pytest.raises(DatasetError, match="no column body"):
        read("a.csv", CSV, "body")


def test_parquet_without_pyarrow_names_the_extra(monkeypatch):
    for name in ("pyarrow", "pyarrow.parquet", "pyarrow.lib"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(DatasetError, match=r"pip install 'mlxsite\[parquet\]'"):
        read("a.parquet", b"PAR1")


def test_parquet_is_read_by_pyarrow():
    import pyarrow
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(ROWS * 200), file, row_group_size=50)

    assert read("a.parquet", file.getvalue()) == ROWS * 200
    with pytest.raises(DatasetError, match="Parquet file is broken"):
        read("a.parquet", file.getvalue()[:-20])
