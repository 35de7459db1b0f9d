"""Which files of a dataset repo make up a split of a configuration.

What the README declares under `configs` decides; without it, names do: `train-00000-of-00002`,
`data/test.csv`, `validation/part.jsonl`. Files that name no split are all for training.
Source: the Hub's documentation on file names and splits, and on manual configuration.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from jobs.dataset.errors import DatasetError

# In the order of preference, where a repo has the same rows in several.
FORMATS = ("jsonl", "ndjson", "json", "csv", "tsv", "parquet")
PACKED = ("gz",)
TRAIN = "train"
_SYNONYMS = {
    TRAIN: ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "eval", "evaluation"),
}
_SHARD = re.compile(r"(?:^|/)([\w.]+(?:-[\w.]+)*)-\d{5}-of-\d{5}[-.]")
_NO_DATA = frozenset({"dataset_infos.json", "dataset_info.json", "config.json", "state.json"})


def format_of(path: str) -> str:
    """The ending that tells how a file is read, such as `csv`; empty for any other file."""
    endings = PurePosixPath(path).name.casefold().split(".")[1:]
    if endings and endings[-1] in PACKED:
        endings.pop()
        if endings and endings[-1] == "parquet":
            return ""
    return endings[-1] if endings and endings[-1] in FORMATS else ""


def choose(
    files: Iterable[str], configs: Sequence[Mapping[str, Any]], config: str, split: str
) -> list[str]:
    """Return the files, in order, all of one format.

    config: a name; empty for the default one. Raises DatasetError, naming what there is.
    """
    data = [path for path in files if format_of(path) and not _is_no_data(path)]
    declared = [each for each in configs if isinstance(each.get("config_name"), str)]
    if declared:
        found = _declared(data, _pick(declared, config), split)
    else:
        found = _by_name(_in_config(data, config), split)
    for name in FORMATS:
        if chosen := [path for path in found if format_of(path) == name]:
            return sorted(chosen)
    raise DatasetError(
        f"the repo has no file of split {split} in JSON lines, JSON, CSV or Parquet: choose "
        "another split, or another dataset"
    )


def _is_no_data(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return parts[-1] in _NO_DATA or any(part.startswith((".", "_")) for part in parts)


def _pick(declared: Sequence[Mapping[str, Any]], config: str) -> Mapping[str, Any]:
    names = [each["config_name"] for each in declared]
    if config:
        if config in names:
            return declared[names.index(config)]
    elif len(declared) == 1:
        return declared[0]
    else:
        for is_default in (lambda each: each.get("default") is True, _is_named_default):
            for each in declared:
                if is_default(each):
                    return each
    said = f"no config {config!r}" if config else "several configs"
    raise DatasetError(f"the dataset has {said}: choose one of {_listed(names)}")


def _is_named_default(config: Mapping[str, Any]) -> bool:
    return bool(config["config_name"] == "default")


def _declared(data: list[str], config: Mapping[str, Any], split: str) -> list[str]:
    folder = config.get("data_dir")
    prefix = f"{folder.strip('/')}/" if isinstance(folder, str) and folder.strip("/.") else ""
    patterns = _patterns(config.get("data_files"))
    if not patterns:
        return _by_name([path for path in data if path.startswith(prefix)], split)
    if split not in patterns:
        raise DatasetError(f"the dataset has no split {split!r}: choose one of {_listed(patterns)}")
    matchers = [_matcher(prefix + pattern.removeprefix("./")) for pattern in patterns[split]]
    return [path for path in data if any(match(path) for match in matchers)]


def _patterns(value: Any) -> dict[str, list[str]]:
    """The patterns of each split; a declaration without splits is all for training."""
    if isinstance(value, Mapping):
        return {str(split): _texts(paths) for split, paths in value.items()}
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        return {str(each.get("split", TRAIN)): _texts(each.get("path")) for each in value}
    return {TRAIN: texts} if (texts := _texts(value)) else {}


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str)]


def _matcher(pattern: str) -> Callable[[str], object]:
    """A shell's pattern: `*` stays in a folder, `**` does not."""
    parts = re.split(r"(\*\*/?|\*|\?)", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(words.get(part, re.escape(part)) for part in parts)).fullmatch


def _in_config(data: list[str], config: str) -> list[str]:
    """Without a declaration, a config is a folder, or the beginning of a file's name."""
    if not config:
        return data
    wanted = config.casefold()
    parts = {path: [part.casefold() for part in PurePosixPath(path).parts] for path in data}
    found = [path for path in data if wanted in parts[path][:-1]]
    found = found or [path for path in data if re.match(re.escape(wanted) + r"\b", parts[path][-1])]
    if found or wanted == "default":
        return found or data
    folders = {PurePosixPath(path).parts[0] for path in data if "/" in path}
    raise DatasetError(
        f"the dataset has no config {config!r}: leave it open"
        + (f", or choose one of {_listed(folders)}" if folders else "")
    )


def _by_name(data: list[str], split: str) -> list[str]:
    shards = {path: shard[1] for path in data if (shard := _SHARD.search(path))}
    if found := [path for path, name in shards.items() if name == split]:
        return found
    wanted = next((words for words in _SYNONYMS.values() if split in words), (split,))
    if found := [path for path in data if _names(path, wanted)]:
        return found
    known = [words[0] for words in _SYNONYMS.values() if any(_names(path, words) for path in data)]
    if not known and not shards and split == TRAIN:
        return data
    if choices := _listed({*known, *shards.values()} or ([TRAIN] if data else [])):
        raise DatasetError(f"the dataset has no split {split!r}: choose one of {choices}")
    return []


def _names(path: str, words: Iterable[str]) -> bool:
    """Whether a folder or a file is called so, with nothing but signs and digits beside it."""
    pattern = "|".join(map(re.escape, words))
    return bool(re.search(rf"(?<![^\W\d_])(?:{pattern})(?![^\W\d_])", path, re.IGNORECASE))


def _listed(names: Iterable[str]) -> str:
    found = sorted(names)
    return ", ".join(found[:20]) + (", …" if len(found) > 20 else "")
