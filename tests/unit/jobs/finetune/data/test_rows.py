import os
from pathlib import Path

import pytest

from jobs.errors import JobError
from jobs.finetune.data.formats import Format
from jobs.finetune.data.rows import BadRow, read_rows


def write(folder: Path, data: bytes) -> Path:
    path = folder / "train.jsonl"
    path.write_bytes(data)
    return path


def test_rows_know_their_line(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"text": "a"}\n\n  \n{"text": "b"}')

    rows = list(read_rows(path))

    assert [row.value["text"] for row in rows] == ["a", "b"]
    assert [row.place for row in rows] == ["train.jsonl line 1", "train.jsonl line 4"]


def test_a_byte_order_mark_is_no_part_of_a_row(tmp_path: Path) -> None:
    path = write(tmp_path, b'\xef\xbb\xbf{"text": "a"}\r\n')

    assert [row.value for row in read_rows(path)] == [{"text": "a"}]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"text": }', "not JSON: Expecting value, column 10"),
        (b"{'text': 1}", "not JSON"),
        (b'["text"]', "a list, where an object is expected"),
        (b'"text"', "a str, where an object is expected"),
        (b'{"text": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_a_bad_line_is_named(line: bytes, problem: str, tmp_path: Path) -> None:
    path = write(tmp_path, b'{"text": "a"}\n' + line + b'\n{"text": "b"}\n')

    with pytest.raises(BadRow, match=r"^train\.jsonl line 2: ") as caught:
        list(read_rows(path))

    assert problem in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"train\.jsonl not found"):
        list(read_rows(tmp_path / "train.jsonl"))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "train.jsonl")

    with pytest.raises(JobError, match=r"train\.jsonl cannot be read"):
        list(read_rows(tmp_path / "train.jsonl"))


@pytest.mark.parametrize(
    ("row", "format"),
    [
        (b'{"messages": []}', Format.MESSAGES),
        (b'{"prompt": "", "completion": ""}', Format.PROMPT_COMPLETION),
        (b'{"text": ""}', Format.TEXT),
        (b'{"prompt": "", "chosen": "", "rejected": ""}', Format.DPO),
        (b'{"chosen": [], "rejected": [], "messages": []}', Format.DPO),
        (b'{"prompt": ""}', Format.UNKNOWN),
        (b"{}", Format.UNKNOWN),
    ],
)
def test_keys_tell_the_format(row: bytes, format: Format, tmp_path: Path) -> None:
    [read] = read_rows(write(tmp_path, row))

    assert read.format is format


@pytest.mark.parametrize("half", ["\\ud83d", "\\uDC00", "\\ude00\\ud83d"])
def test_half_a_character_is_told_with_its_line(tmp_path: Path, half: str) -> None:
    path = write(tmp_path, f'{{"text": "a"}}\n{{"text": "b {half}"}}\n'.encode())

    with pytest.raises(BadRow, match=r"^train.jsonl line 2: half of a character, '.ud"):
        list(read_rows(path))


def test_a_whole_character_in_two_halves_is_one(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"text": "\\ud83d\\ude00 \\\\ud83d"}')

    assert [row.value["text"] for row in read_rows(path)] == ["\U0001f600 \\ud83d"]
