"""Imports from a fake Hub: which rows come, and what is told when none does."""

import json

import pytest

from hub.config import HubConfig
from hub.token import Tokens
from jobs.dataset.errors import DatasetError, InvalidInput

LONG = "a" * 200


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def publish(fake_hub, settings, tmp_path):
    """Call with files; they are the dataset `owner/name`."""
    settings.HUB = HubConfig(tmp_path / "models", tmp_path / "hf", fake_hub.url)
    settings.HF_TOKENS = Tokens(saved=tmp_path / "hf.json", cli_file=tmp_path / "token")
    return lambda files, **more: fake_hub.add("datasets/owner/name", files, **more)


@pytest.fixture
def imported(build):
    def imported(**inputs):
        return build("hf_dataset_import", **{"hf_id": "owner/name", **inputs})

    return imported


def test_texts_are_stripped_and_short_ones_left_out(publish, imported):
    publish({"train.jsonl": lines({"text": f"  {LONG}\n"}, {"text": "short"}, {"text": None})})

    built = imported()

    assert built.rows == [{"text": LONG}]
    assert built.summary["skipped"] == {"rows with fewer than 200 characters": 2}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.jsonl", lines({"text": LONG}, {"other": 1}, {}, {"text": LONG + "b"})),
        ("train.jsonl", lines({"other": 1}, {}, {"text": LONG}, {"text": LONG + "b"})),
        ("train.csv", f"other,text\n1\n2,{LONG}\n3\n4,{LONG}b\n".encode()),
    ],
)
def test_rows_without_the_column_are_left_out_as_empty_ones(publish, imported, name, content):
    publish({name: content})

    built = imported()

    assert built.rows == [{"text": LONG}, {"text": LONG + "b"}]
    assert built.summary["skipped"] == {"rows with fewer than 200 characters": 2}


def test_rows_are_counted_before_any_is_left_out(publish, imported):
    publish({"train.jsonl": lines({"text": "short"}, {"text": LONG}, {"text": LONG + "b"})})

    assert imported(max_rows=2).rows == [{"text": LONG}]


def test_a_label_has_to_be_equal(publish, imported):
    rows = [{"text": "a", "label": 1}, {"text": "b", "label": "1 "}, {"text": "c", "label": 11}]
    publish({"train.jsonl": lines(*rows)})

    built = imported(label_column="label", label_filter="1", min_chars=0)

    assert built.rows == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize(
    ("output_format", "row"),
    [
        ("text", {"text": "a"}),
        ("messages_user_only", {"messages": [{"role": "user", "content": "a"}]}),
        ("prompt_completion", {"prompt": "", "completion": "a"}),
    ],
)
def test_rows_have_the_shape_that_was_asked_for(publish, imported, output_format, row):
    publish({"train.jsonl": lines({"text": "a"})})

    built = imported(output_format=output_format, min_chars=0)

    assert built.rows == [row]
    assert built.summary["format"] == output_format


def test_what_is_no_text_is_kept_as_json(publish, imported):
    publish({"train.jsonl": lines({"text": ["a", {"b": 1}]}, {"text": 5}, {"text": False})})

    assert imported(min_chars=0).rows == [
        {"text": '["a", {"b": 1}]'},
        {"text": "5"},
        {"text": "false"},
    ]


def test_config_and_split_choose_files(publish, imported):
    card = """---
configs:
- config_name: one
  data_files: [{split: train, path: one.csv}]
- config_name: two
  data_files: [{split: extra, path: "two/*.jsonl"}]
---
"""
    files = {"README.md": card.encode(), "one.csv": b"text\none\n"}
    publish(files | {"two/a.jsonl": lines({"text": "x"}), "two/b.jsonl": lines({"text": "y"})})

    built = imported(config="two", split="extra", min_chars=0)

    assert built.rows == [{"text": "x"}, {"text": "y"}]


@pytest.mark.parametrize(
    "card", [b"---\nconfigs: [\n---\n", b"---\nconfigs: 5\n---\n", b"\xff", b""]
)
def test_a_readme_that_is_none_is_passed_over(publish, imported, card):
    publish({"README.md": card, "train.jsonl": lines({"text": "a"})})

    assert imported(min_chars=0).rows == [{"text": "a"}]


def test_a_connection_that_breaks_is_taken_up_again(publish, imported, fake_hub):
    rows = [{"text": f"{n} {LONG}"} for n in range(3000)]
    publish({"train.jsonl": lines(*rows)})
    fake_hub.fail("train.jsonl", times=2, cuts=[100_000, 250_000])

    assert imported(max_rows=3000).rows == rows


def test_no_more_of_a_file_comes_than_is_used(publish, imported, fake_hub):
    publish({"train.jsonl": lines(*[{"text": f"{n} {LONG}"} for n in range(100_000)])})

    imported(max_rows=10)

    assert fake_hub.sent["train.jsonl"] < 15 * 2**20


def test_a_dataset_that_is_not_there_is_told(publish, imported, fake_hub):
    publish({})

    with pytest.raises(DatasetError, match="the Hub has no dataset owner/other"):
        imported(hf_id="owner/other")


def test_a_gated_dataset_needs_a_token_that_goes_to_the_hub_alone(
    publish, imported, fake_hub, settings
):
    publish({"train.jsonl": lines({"text": "a"})}, gated=True)

    with pytest.raises(DatasetError, match="owner/name is gated: accept its terms"):
        imported(min_chars=0)
    settings.HF_TOKENS.save("hf_right")

    built = imported(min_chars=0)

    assert built.rows == [{"text": "a"}]
    assert "hf_right" not in json.dumps(built.events) + json.dumps(built.summary)


def test_a_hub_that_does_not_answer_is_told(publish, imported, fake_hub):
    publish({})
    fake_hub.down = True

    with pytest.raises(DatasetError, match="the Hub answered 503"):
        imported()


def test_a_missing_column_is_told_with_those_that_there_are(publish, imported):
    publish({"train.jsonl": lines({}, {"body": "a", "id": 1}, {"text": LONG})})

    told = "none of the 2 rows that were read has a column 'text': choose one of body, id"
    with pytest.raises(DatasetError, match=told):
        imported(max_rows=2)


def test_a_broken_file_is_told(publish, imported):
    publish({"train.jsonl": b'{"text": "a"}\n{"text'})

    with pytest.raises(DatasetError, match="JSON file is broken"):
        imported(min_chars=0)


@pytest.mark.parametrize("name", ["a/b/c", "../x", "a b", "https://x.y/z", "a--b/c"])
def test_a_name_that_is_none_is_refused_at_once(imported, name):
    with pytest.raises(InvalidInput, match=r"hf_id: .* is not the name of a repo"):
        imported(hf_id=name)


def test_a_label_needs_its_column(imported):
    with pytest.raises(InvalidInput, match="label_column required"):
        imported(label_filter="x")
