"""Which files a config and a split mean, by declaration and by name."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.dataset.errors import DatasetError
from jobs.dataset.hub_files.choice import choose, format_of

SHARDS = ["data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"]


@pytest.mark.parametrize(
    ("path", "ending"),
    [
        ("a.jsonl", "jsonl"),
        ("a/b.json.gz", "json"),
        ("A.CSV", "csv"),
        ("a.b.parquet", "parquet"),
        ("a.parquet.gz", ""),
        ("a.txt", ""),
        ("a.zip", ""),
        ("gz", ""),
        (".gz", ""),
    ],
)
def test_the_ending_tells_the_format(path, ending):
    assert format_of(path) == ending


@pytest.mark.parametrize(
    ("files", "split", "chosen"),
    [
        (["train.jsonl", "test.jsonl"], "train", ["train.jsonl"]),
        (["train.jsonl", "dev.jsonl"], "validation", ["dev.jsonl"]),
        (["train.csv", "val.csv"], "valid", ["val.csv"]),
        (["data/train/b.json", "data/train/a.json", "data/test/a.json"], "train",
         ["data/train/a.json", "data/train/b.json"]),
        ([*SHARDS, "data/train_sft-00000-of-00001.parquet"], "train", SHARDS),
        ([*SHARDS, "data/train_sft-00000-of-00001.parquet"], "train_sft",
         ["data/train_sft-00000-of-00001.parquet"]),
        (["my-training_set.csv", "my-test.csv"], "train", ["my-training_set.csv"]),
        (["anything.jsonl", "other.jsonl"], "train", ["anything.jsonl", "other.jsonl"]),
        (["constrained.jsonl"], "train", ["constrained.jsonl"]),  # a word within a word is none
        (["train.jsonl", "train.parquet"], "train", ["train.jsonl"]),
        (["train.jsonl", "dataset_infos.json", ".hidden/train.jsonl"], "train", ["train.jsonl"]),
    ],
)  # fmt: skip
def test_names_tell_the_split(files, split, chosen):
    assert choose(files, [], "", split) == chosen


@pytest.mark.parametrize(
    ("config", "chosen"), [("en", ["en/train.jsonl"]), ("EN", ["en/train.jsonl"])]
)
def test_a_folder_is_a_config(config, chosen):
    assert choose(["en/train.jsonl", "de/train.jsonl"], [], config, "train") == chosen


DECLARED = [
    {"config_name": "default", "data_files": [
        {"split": "train", "path": ["a/*.jsonl", "deep/**"]},
        {"split": "test", "path": "t.jsonl"},
    ]},
    {"config_name": "whole", "data_files": "all.csv"},
    {"config_name": "mapped", "data_files": {"train": "m-?.jsonl"}},
    {"config_name": "folder", "data_dir": "f"},
]  # fmt: skip
FILES = [
    "a/1.jsonl", "a/b/2.jsonl", "deep/x/3.jsonl", "t.jsonl", "all.csv", "m-1.jsonl", "m-10.jsonl",
    "f/train.jsonl", "f/test.jsonl",
]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "split", "chosen"),
    [
        ("", "train", ["a/1.jsonl", "deep/x/3.jsonl"]),
        ("default", "test", ["t.jsonl"]),
        ("whole", "train", ["all.csv"]),
        ("mapped", "train", ["m-1.jsonl"]),
        ("folder", "test", ["f/test.jsonl"]),
    ],
)
def test_a_declaration_decides(config, split, chosen):
    assert choose(FILES, DECLARED, config, split) == chosen


def test_a_config_may_be_marked_as_the_default():
    configs = [
        {"config_name": "x", "data_files": "x.csv"},
        {"config_name": "y", "data_files": "y.csv", "default": True},
    ]

    assert choose(["x.csv", "y.csv"], configs, "", "train") == ["y.csv"]


@pytest.mark.parametrize(
    ("files", "configs", "config", "split", "words"),
    [
        (["train.csv"], [], "", "test", "no split 'test': choose one of train"),
        (["all.csv"], [], "", "test", "no split 'test': choose one of train"),
        (SHARDS, [], "", "dev", "no split 'dev': choose one of train"),
        (FILES, DECLARED, "", "dev", "no split 'dev': choose one of test, train"),
        (FILES, DECLARED, "nope", "train", "no config 'nope': choose one of default, folder"),
        (FILES, DECLARED[1:3], "", "train", "several configs: choose one of mapped, whole"),
        (["en/a.csv"], [], "fr", "train", "no config 'fr': leave it open, or choose one of en"),
        (["a.csv"], [], "fr", "train", "no config 'fr': leave it open$"),
        (["a.zip", "b.arrow"], [], "", "train", "no file of split train in JSON lines"),
        ([], [], "", "train", "no file of split train"),
        (["a.csv"], [{"config_name": "x", "data_files": "b.csv"}], "", "train", "no file of split"),
    ],
)
def test_what_there_is_not_is_told_with_what_there_is(files, configs, config, split, words):
    with pytest.raises(DatasetError, match=words):
        choose(files, configs, config, split)


ANY = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.sampled_from(["train", "**/[", "a/*"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["config_name", "data_files", "split", "path", "data_dir", "train"]), inner
    ),
    max_leaves=5,
)  # fmt: skip
CONFIGS = st.lists(
    st.fixed_dictionaries({}, optional={"config_name": ANY, "data_files": ANY, "data_dir": ANY})
)
PATHS = st.sets(
    st.sampled_from(
        ["train.csv", "x/train-1.json", "a/test.csv.gz", "train/x.json", "b.zip", "a/b/c.jsonl"]
    )
)


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],  # of drawing, on a busy machine
)
@given(PATHS, CONFIGS, st.sampled_from(["", "a", "train"]), st.sampled_from(["train", "x", "[("]))
def test_hostile_declarations_are_refused_in_words(files, configs, config, split):
    try:
        assert set(choose(files, configs, config, split)) <= set(files)
    except DatasetError as error:
        assert str(error)
