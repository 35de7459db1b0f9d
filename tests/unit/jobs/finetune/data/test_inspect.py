from pathlib import Path

from jobs.finetune.data.formats import Format
from jobs.finetune.data.inspect import Inspection, inspect


def test_rows_are_counted_and_their_format_told(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n')
    (tmp_path / "valid.jsonl").write_text('{"text": "c"}\n')

    assert inspect(tmp_path) == Inspection(2, 1, Format.TEXT)


def test_validation_rows_may_be_absent(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"messages": []}\n')

    assert inspect(tmp_path) == Inspection(1, 0, Format.MESSAGES)


def test_a_folder_without_rows_says_which_file_is_missed(tmp_path: Path) -> None:
    assert inspect(tmp_path).problem == f"{tmp_path / 'train.jsonl'} not found"


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("\n")

    assert inspect(tmp_path).problem == f"{tmp_path / 'train.jsonl'} has no rows"


def test_a_bad_line_is_a_problem_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n')
    (tmp_path / "valid.jsonl").write_text('{"text": "a"}\n{\n')

    found = inspect(tmp_path)

    assert (found.n_train, found.n_valid) == (1, 1)
    assert found.problem.startswith("valid.jsonl line 2: not JSON")


def test_two_formats_in_one_file_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n{"messages": []}\n')

    assert inspect(tmp_path).problem == "train.jsonl line 2: messages, the rows before are text"


def test_other_keys_are_of_no_known_format(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"question": "a"}\n')

    assert inspect(tmp_path) == Inspection(1, 0, Format.UNKNOWN)


def test_half_a_character_is_a_problem_as_it_is_to_training(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n{"text": "\\ud83d"}\n')

    found = inspect(tmp_path)

    assert found.n_train == 1
    assert found.problem.startswith("train.jsonl line 2: half of a character")
