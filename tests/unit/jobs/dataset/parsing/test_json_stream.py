"""Rows of JSON files, whatever form and length they have."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.dataset.errors import DatasetError
from jobs.dataset.parsing import json_stream
from jobs.dataset.parsing.json_stream import read_json_rows

ROWS = st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), min_size=2)


def read(text):
    return list(read_json_rows(io.StringIO(text)))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}\n{"a": 2}\n',
        '\n{"a": 1}\r\n\r\n{"a": 2}',
        '[{"a": 1}, {"a": 2}]',
        ' [ {"a": 1},\n{"a": 2} ] ',
        '{"version": 1, "data": [{"a": 1}, {"a": 2}], "more": [1, 2, 3]}',
        '\ufeff{"a": 1}\n7\n{"a": 2}\n"no row"',
    ],
)
def test_every_form_gives_the_same_rows(text):
    assert read(text) == [{"a": 1}, {"a": 2}]


def test_a_single_object_is_a_row():
    assert read('{"a": [1]}') == [{"a": [1]}]


@pytest.mark.parametrize("text", ['[{"a": 1}', '{"a": ', "words", '{"a": 1}\n{', '{"a": NaN}'])
def test_what_is_no_json_is_told(text):
    with pytest.raises(DatasetError, match=r"JSON file (is broken|ends in the middle)"):
        read(text)


def test_a_row_that_never_ends_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(json_stream, "LONGEST_ROW", 1000)
    monkeypatch.setattr(json_stream, "LONGEST_DOCUMENT", 1000)
    monkeypatch.setattr(json_stream, "CHUNK", 100)
    text = io.StringIO('{"a": "' + "b" * 100_000)

    with pytest.raises(DatasetError, match="longer than 1,000 characters"):
        list(read_json_rows(text))

    assert text.tell() < 5000


@settings(max_examples=40, deadline=None, derandomize=True)
@given(ROWS, st.integers(1, 40), st.booleans())
def test_no_cut_between_two_reads_makes_a_difference(rows, chunk, is_array):
    text = json.dumps(rows) if is_array else "\n".join(map(json.dumps, rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)

        assert read(text) == rows
