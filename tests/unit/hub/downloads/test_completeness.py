from pathlib import Path

import pytest

from hub.downloads.completeness import is_index, require_shards
from hub.downloads.content import Content
from hub.downloads.errors import NotAModel
from hub.downloads.listing import Listing, RemoteFile


def file(path: str) -> RemoteFile:
    return RemoteFile(path, Content("a" * 40, 1))


def require(tmp_path: Path, text: str, index: str, *others: str) -> None:
    content = tmp_path / "blob"
    content.write_text(text)
    files = (file(index), *map(file, others))
    require_shards(Listing("owner/model", "c" * 40, files), file(index), content)


def test_an_index_is_known_by_its_name() -> None:
    assert is_index(file("model.safetensors.index.json"))
    assert not is_index(file("config.json"))


@pytest.mark.parametrize("folder", ["", "vision/"])
def test_an_index_whose_shards_are_all_listed_is_fine(folder: str, tmp_path: Path) -> None:
    index = f"{folder}model.safetensors.index.json"

    require(tmp_path, '{"weight_map": {"w": "1.safetensors"}}', index, f"{folder}1.safetensors")


def test_a_shard_that_is_not_listed_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotAModel, match=r"names 2\.safetensors, which is not there"):
        require(
            tmp_path,
            '{"weight_map": {"w": "1.safetensors", "x": "2.safetensors"}}',
            "model.safetensors.index.json",
            "1.safetensors",
        )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"weight_map": 1}', "not JSON"])
def test_what_is_no_index_is_left_to_the_loader(text: str, tmp_path: Path) -> None:
    require(tmp_path, text, "model.safetensors.index.json")
