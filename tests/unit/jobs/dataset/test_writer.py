"""Rows on disk and their split, for any number of rows."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.dataset.writer import RowWriter, num_train

ROWS = st.lists(st.dictionaries(st.text(), st.text() | st.integers()), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(min_value=1, max_value=10**9))
def test_nine_of_ten_rows_are_for_training_and_one_at_least(count):
    assert num_train(count) == max(1, math.floor(0.9 * count))
    assert num_train(count) < count or count == 1


@settings(max_examples=60, deadline=None, derandomize=True)
@given(ROWS)
def test_the_split_keeps_every_row_once_and_in_order(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("rows")

    with RowWriter(folder) as writer:
        for row in rows:
            writer.add(row)
        counts = writer.split()

    train, valid = (read(folder / name) for name in ("train.jsonl", "valid.jsonl"))
    assert counts == (len(train), len(valid))
    assert (train + valid == rows) if len(rows) > 1 else (train == valid == rows)
    assert {path.name for path in folder.iterdir()} == {"train.jsonl", "valid.jsonl"}


def read(path):
    return [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]


def test_half_a_character_is_written_as_a_question_mark(tmp_path):
    with RowWriter(tmp_path) as writer:
        writer.add({"text": "a\ud800b"})
        writer.split()

    assert read(tmp_path / "train.jsonl") == [{"text": "a?b"}]


def test_what_is_no_json_is_not_written(tmp_path):
    with RowWriter(tmp_path) as writer, pytest.raises(ValueError):
        writer.add({"text": math.nan})
