import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.errors import JobError
from jobs.finetune.config import FinetuneConfig, InvalidField, read_config
from jobs.finetune.data.dataset import Dataset, load_examples, load_pairs
from jobs.finetune.data.encoder import Encoder, Example, Pair
from tests.plugins.byte_ids import END, START, ids

HELLO = {"role": "user", "content": "Hi"}
ANSWER = {"role": "assistant", "content": "Yo"}
PROMPT = [START, *ids("user\nHi"), END, *ids("\n"), START, *ids("assistant\n")]
WHOLE = (*PROMPT, *ids("Yo"), END)
Write = Callable[..., FinetuneConfig]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(rows, valid=rows, **fields)` writes a folder and returns a configuration for it."""

    def write_rows(
        rows: list[Any], valid: list[Any] | None = None, **fields: Any
    ) -> FinetuneConfig:
        for name, content in (("train", rows), ("valid", valid)):
            if content is not None:
                lines = "".join(json.dumps(row) + "\n" for row in content)
                (tmp_path / f"{name}.jsonl").write_text(lines)
        places = {"model_dir": "m", "data_dir": str(tmp_path), "adapter_path": "a"}
        return read_config({**places, **fields})

    return write_rows


@pytest.fixture
def examples(tokenizer: Any) -> Callable[[FinetuneConfig], Dataset[Example]]:
    return lambda config: load_examples(config, Encoder(tokenizer))


@pytest.fixture
def pairs(tokenizer: Any) -> Callable[[FinetuneConfig], Dataset[Pair]]:
    return lambda config: load_pairs(config, Encoder(tokenizer))


@pytest.mark.parametrize(
    ("row", "fields", "start"),
    [
        ({"messages": [HELLO, ANSWER]}, {}, len(PROMPT)),
        ({"messages": [HELLO, ANSWER]}, {"sft_scope": "response"}, len(PROMPT)),
        ({"messages": [HELLO, ANSWER]}, {"sft_scope": "full"}, 0),
        ({"prompt": "Hi", "completion": "Yo"}, {}, 0),
        ({"prompt": "Hi", "completion": "Yo"}, {"sft_scope": "response"}, len(PROMPT)),
    ],
)
def test_format_and_scope_say_which_tokens_count(
    row: dict[str, Any], fields: dict[str, Any], start: int, write: Write, examples: Any
) -> None:
    data = examples(write([row], **fields))

    assert data.train.items == (Example(WHOLE, start),)


def test_all_of_a_text_counts(write: Write, examples: Any) -> None:
    assert examples(write([{"text": "Hi"}])).train.items == (Example((*ids("Hi"), END), 0),)


def test_a_text_has_no_response(write: Write, examples: Any) -> None:
    with pytest.raises(InvalidField, match="sft_scope is 'response'; allowed: full"):
        examples(write([{"text": "Hi"}], sft_scope="response"))


def test_a_pair_shares_its_prompt(write: Write, pairs: Any) -> None:
    data = pairs(write([{"prompt": "Hi", "chosen": "Yo", "rejected": "No!"}], method="dpo"))

    assert data.train.items == (Pair(tuple(PROMPT), (*ids("Yo"), END), (*ids("No!"), END)),)


def test_a_long_example_is_cut_at_its_end(write: Write, examples: Any) -> None:
    limit = len(WHOLE) - 1

    data = examples(write([{"messages": [HELLO, ANSWER]}], max_seq_length=limit))

    assert data.train.items == (Example(WHOLE[:limit], len(PROMPT)),)
    assert data.train.summary("train.jsonl") == "train.jsonl: 1 rows, 1 cut to max_seq_length"


def test_an_example_without_room_for_its_answer_is_dropped(write: Write, examples: Any) -> None:
    rows = [{"messages": [HELLO, ANSWER]}, {"messages": [{**HELLO, "content": "H" * 9}, ANSWER]}]

    data = examples(write(rows, max_seq_length=len(PROMPT) + 1))

    assert data.train.items == (Example(WHOLE[: len(PROMPT) + 1], len(PROMPT)),)
    assert data.train.changed == {"dropped, too long": 1, "cut to max_seq_length": 1}


def test_a_pair_that_does_not_fit_whole_is_dropped(write: Write, pairs: Any) -> None:
    rows = [
        {"prompt": "Hi", "chosen": "Yo", "rejected": "No"},
        {"prompt": "Hi", "chosen": "Yo", "rejected": "Not at all"},
    ]

    data = pairs(write(rows, method="orpo", max_seq_length=len(WHOLE)))

    assert len(data.train.items) == 1
    assert data.train.changed == {"dropped, too long": 1}


def test_empty_answers_are_dropped(write: Write, examples: Any) -> None:
    data = examples(
        write([{"prompt": "Hi", "completion": " "}, {"prompt": "Hi", "completion": "Yo"}])
    )

    assert len(data.train.items) == 1
    assert data.train.changed == {"dropped, empty answer": 1}


@pytest.mark.parametrize(
    ("rows", "fields", "problem"),
    [
        ([], {}, r"train\.jsonl has no rows"),
        ([{"text": "Hi"}], {"method": "dpo"}, "a text row, and method dpo takes pairs"),
        (
            [{"prompt": "Hi", "chosen": "Yo", "rejected": "No"}],
            {},
            "a dpo row, and method sft takes rows without pairs; choose another method",
        ),
        ([{"text": "Hi"}, {"messages": []}], {}, "line 2: a messages row among text rows"),
        ([{"question": "Hi"}], {}, "line 1: none of the known keys"),
        ([{"text": 5}], {}, "line 1: text is not a string"),
        (
            [{"prompt": "Hi", "completion": "Yo"}],
            {"max_seq_length": 2, "sft_scope": "response"},
            "0 rows, 1 dropped, too long: nothing is left .* raise max_seq_length, 2 now",
        ),
    ],
)
def test_data_that_cannot_be_trained_on_are_refused(
    rows: list[Any], fields: dict[str, Any], problem: str, write: Write, tokenizer: Any
) -> None:
    load = load_pairs if fields.get("method") else load_examples

    with pytest.raises(JobError, match=problem):
        load(write(rows, **fields), Encoder(tokenizer))


def test_a_missing_folder_is_named(write: Write, examples: Any, tmp_path: Path) -> None:
    config = write([], data_dir=str(tmp_path / "nowhere"))

    with pytest.raises(JobError, match=r"nowhere/train\.jsonl not found"):
        examples(config)


def test_validation_rows_are_optional_and_may_be_limited(write: Write, examples: Any) -> None:
    rows = [{"text": "Hi"}] * 5

    assert examples(write(rows)).valid.items == ()
    assert len(examples(write(rows, rows, val_max_examples=3)).valid.items) == 3
    assert len(examples(write(rows, rows, val_max_examples=0)).valid.items) == 5


def test_a_fault_in_validation_rows_is_found_before_training(write: Write, examples: Any) -> None:
    with pytest.raises(JobError, match=r"valid\.jsonl line 1: none of the known keys"):
        examples(write([{"text": "Hi"}], [{}]))


def test_half_a_character_in_the_arguments_of_a_call_stops_nothing(write, examples) -> None:
    function = {"name": "f", "arguments": '{"a": "\\ud83d"}'}
    called = {**ANSWER, "content": "", "tool_calls": [{"type": "function", "function": function}]}

    found = examples(write([{"messages": [HELLO, called, HELLO, ANSWER]}]))

    assert len(found.train.items) == 1
