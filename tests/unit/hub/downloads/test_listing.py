from typing import Any

import pytest
from huggingface_hub.hf_api import ModelInfo

from hub.downloads.errors import NotAModel, RefusedByHub
from hub.downloads.listing import Listing

SHA1, SHA256 = "a" * 40, "b" * 64


def small(path: str, **changes: Any) -> dict[str, Any]:
    return {"rfilename": path, "size": 10, "blobId": SHA1, **changes}


def large(path: str, **changes: Any) -> dict[str, Any]:
    lfs = {"sha256": SHA256, "size": 1000, "pointerSize": 134, **changes}
    return {"rfilename": path, "size": 1000, "blobId": SHA1, "lfs": lfs}


def listing(*siblings: dict[str, Any], sha: str = SHA1) -> Listing:
    return Listing.of("owner/model", ModelInfo(id="owner/model", sha=sha, siblings=list(siblings)))


def test_weights_come_last_and_are_known_by_their_sha256() -> None:
    found = listing(large("model.safetensors"), small("tokenizer.json"), small("config.json"))

    assert [file.path for file in found.files] == [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
    ]
    assert [file.content.blob for file in found.files] == [SHA1, SHA1, SHA256]
    assert found.size_bytes == 1020


@pytest.mark.parametrize(
    "path",
    [
        "tokenizer.model",
        "chat_template.jinja",
        "merges.txt",
        "qwen.tiktoken",
        "1_Pooling/config.json",
        "generation_config.json",
    ],
)
def test_what_belongs_to_a_model_is_wanted(path: str) -> None:
    assert path in [file.path for file in listing(large("m.safetensors"), small(path)).files]


@pytest.mark.parametrize(
    "path", ["model.bin", "model.pt", "modeling.py", "README.md", "model.gguf", "x.pkl", "a.onnx"]
)
def test_code_and_other_formats_are_not(path: str) -> None:
    assert len(listing(large("m.safetensors"), small(path)).files) == 1


def test_a_repo_without_weights_is_no_model() -> None:
    with pytest.raises(NotAModel, match="owner/model has no safetensors"):
        listing(small("config.json"))


@pytest.mark.parametrize(
    "file",
    [
        small("../config.json"),
        small("config.json", blobId="../../evil"),
        small("config.json", blobId=None),
        small("config.json", size=None),
        large("model.safetensors", sha256="../" + "b" * 61),
        large("model.safetensors", sha256=SHA1),
        large("model.safetensors", size=-1),
    ],
)
def test_a_file_that_is_not_safe_to_write_stops_everything(file: dict[str, Any]) -> None:
    with pytest.raises(RefusedByHub, match="nothing was fetched"):
        listing(large("m.safetensors"), file)


@pytest.mark.parametrize("sha", ["", "main", "../" + "a" * 37])
def test_a_commit_that_is_no_hash_stops_everything(sha: str) -> None:
    with pytest.raises(RefusedByHub, match="names no commit"):
        listing(large("m.safetensors"), sha=sha)
