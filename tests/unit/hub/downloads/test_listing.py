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


MODEL = (small("config.json"), large("model.safetensors"))


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
    assert path in [file.path for file in listing(*MODEL, small(path)).files]


@pytest.mark.parametrize(
    "path", ["model.bin", "model.pt", "modeling.py", "README.md", "model.gguf", "x.pkl", "a.onnx"]
)
def test_code_and_other_formats_are_not(path: str) -> None:
    assert len(listing(*MODEL, small(path)).files) == len(MODEL)


def test_a_repo_without_weights_is_no_model() -> None:
    with pytest.raises(NotAModel, match="owner/model has no safetensors"):
        listing(small("config.json"))


@pytest.mark.parametrize(
    ("files", "lacks"),
    [
        ([large("adapters.safetensors"), small("adapter_config.json")], r"model\*\.safetensors"),
        ([small("config.json"), large("unet/model.safetensors")], r"model\*\.safetensors"),
        ([large("model.safetensors"), small("adapter_config.json")], r"config\.json"),
        ([large("model.safetensors"), small("a/config.json")], r"config\.json"),
        (
            [small("config.json"), large("model-00001-of-00002.safetensors")],
            r"model-00002-of-00002\.safetensors",
        ),
    ],
)
def test_a_repo_that_would_be_no_model_here_is_not_begun(
    files: list[dict[str, Any]], lacks: str
) -> None:
    with pytest.raises(NotAModel, match=f"owner/model has no {lacks}, so MLX cannot load it"):
        listing(*files)


@pytest.mark.parametrize(
    "more",
    [
        [],
        [large("vision/model-00001-of-00002.safetensors")],
        [small("model.safetensors.index.json"), large("model-00001-of-00002.safetensors")],
    ],
)
def test_what_lies_beside_a_model_is_not_looked_at(more: list[dict[str, Any]]) -> None:
    # Which shards an index names is seen once it has come.
    assert len(listing(*MODEL, *more).files) == len(MODEL) + len(more)


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
        listing(*MODEL, file)


@pytest.mark.parametrize("sha", ["", "main", "../" + "a" * 37])
def test_a_commit_that_is_no_hash_stops_everything(sha: str) -> None:
    with pytest.raises(RefusedByHub, match="names no commit"):
        listing(*MODEL, sha=sha)
