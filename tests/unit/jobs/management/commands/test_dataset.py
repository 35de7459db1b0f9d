"""`manage.py dataset`: listing, and building from flags and files."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from jobs.dataset.registry import TEMPLATES

PAIRS = "Q: a\nA: b\n\nQ: c\nA: d\n"
Dataset = Callable[..., str]


@pytest.fixture
def dataset(settings: Any, tmp_path: Path) -> Dataset:
    """Call with arguments; returns what was printed."""
    settings.CACHE_DIR = tmp_path / "cache"

    def call(*arguments: str) -> str:
        output = StringIO()
        call_command("dataset", *arguments, stdout=output)
        return output.getvalue()

    return call


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]


def test_templates_are_listed(dataset: Dataset) -> None:
    for output in (dataset(), dataset("list")):
        assert [line.split()[0] for line in output.splitlines()[: len(TEMPLATES)]] == list(
            TEMPLATES
        )


def test_templates_are_listed_for_programs(dataset: Dataset) -> None:
    listed = json.loads(dataset("list", "--json"))

    assert listed == [template.to_json() for template in TEMPLATES.values()]


def test_every_field_is_a_flag_and_a_text_may_be_in_a_file(
    dataset: Dataset, tmp_path: Path
) -> None:
    (tmp_path / "rows").write_text('{"q": "a", "r": "b"}')

    output = dataset(
        *("build", "format_conversion", "--input-jsonl", f"@{tmp_path / 'rows'}"),
        *("--user-key", "q", "--assistant-key", "r", "--output", str(tmp_path / "made")),
    )

    assert output == f"1 rows to train on and 1 to validate on are in {tmp_path / 'made'}\n"
    assert rows(tmp_path / "made")[0]["messages"][0]["content"] == "a"


def test_inputs_may_be_a_json_file_and_flags_come_first(dataset: Dataset, tmp_path: Path) -> None:
    inputs = {"input_jsonl": '{"q": "a", "r": "b"}', "user_key": "q", "assistant_key": "wrong"}
    (tmp_path / "inputs.json").write_text(json.dumps(inputs))

    dataset(
        *("build", "format_conversion", "--inputs", str(tmp_path / "inputs.json")),
        *("--assistant-key", "r", "--output", str(tmp_path / "made")),
    )

    assert rows(tmp_path / "made")[0]["messages"][1]["content"] == "b"


def test_without_a_place_a_new_one_in_the_cache_is_taken(dataset: Dataset, tmp_path: Path) -> None:
    dataset("build", "sft_qa_pairs", "--pairs-text", PAIRS)

    [folder] = (tmp_path / "cache" / "datasets").iterdir()
    assert len(rows(folder)) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sft_qa_pairs"], "pairs_text required"),
        (["sft_qa_pairs", "--pairs-text", "nothing"], "no rows came of these inputs"),
        (["sft_qa_pairs", "--pairs-text", "@/no/such/file"], "cannot be read as text"),
        (["sft_qa_pairs", "--inputs", "/no/such/file"], "cannot be read as text"),
        (["nope"], "invalid choice: 'nope'"),
    ],
)
def test_what_goes_wrong_is_one_line(dataset: Dataset, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        dataset("build", *arguments)


def test_a_file_that_is_no_json_object_is_told(dataset: Dataset, tmp_path: Path) -> None:
    for text, words in (("[1]", "no JSON object"), ("{", "is not JSON")):
        (tmp_path / "inputs").write_text(text)

        with pytest.raises(CommandError, match=words):
            dataset("build", "sft_qa_pairs", "--inputs", str(tmp_path / "inputs"))


def test_control_c_leaves_nothing(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("jobs.dataset.writer.RowWriter.add", interrupt)

    with pytest.raises(CommandError, match="stopped; nothing was left behind"):
        dataset("build", "sft_qa_pairs", "--pairs-text", PAIRS)

    assert list((tmp_path / "cache" / "datasets").iterdir()) == []
