"""Which folders hold a model that turns texts into vectors."""

import json
from pathlib import Path
from typing import Any

import pytest

from hub.embedding import is_embedding, is_made_to_chat
from hub.errors import BrokenModel

QWEN3 = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}


def modules(*kinds: str) -> list[dict[str, str]]:
    return [{"type": f"sentence_transformers.models.{kind}"} for kind in kinds]


PARTS = modules("Transformer", "Pooling", "Normalize")


def embeds(
    folder: Path, name: str = "org/model", config: dict[str, Any] = QWEN3, **files: Any
) -> bool:
    """Ask for a folder with these files in it; `__` stands for a slash."""
    for file, value in files.items():
        path = folder / (file.replace("__", "/") + ".json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))
    return is_embedding(name, folder, config)


@pytest.mark.parametrize(
    "files",
    [
        {"modules": PARTS},
        {"modules": PARTS, "1_Pooling__config": {"pooling_mode_lasttoken": True}},
        {"1_Pooling__config": {"pooling_mode": "lasttoken"}},
        {"config": {**QWEN3, "architectures": ["Qwen3Model"]}},
        {"name": "mlx-community/Qwen3-Embedding-4B-4bit-DWQ"},
    ],
)
def test_a_qwen3_is_an_embedding_model_if_its_folder_or_its_name_says_so(
    tmp_path: Path, files: dict[str, Any]
) -> None:
    assert embeds(tmp_path, **files)


@pytest.mark.parametrize(
    "files",
    [
        {"name": "Qwen/Qwen3-0.6B"},
        {"name": "Qwen/Qwen3-Embedding", "config": {"model_type": "llama"}},
        {"name": "Qwen/Qwen3-Embedding", "config": {**QWEN3, "is_causal": False}},
        {"name": "a/embedder", "1_Pooling__config": {"pooling_mode_mean_tokens": True}},
        {"name": "a/embedder", "modules": [*PARTS, *modules("Dense")]},
    ],
    ids=["chat", "another architecture", "both ways", "another pooling", "a further part"],
)
def test_what_would_be_read_wrongly_is_no_embedding_model(
    tmp_path: Path, files: dict[str, Any]
) -> None:
    assert not embeds(tmp_path, **files)


@pytest.mark.parametrize("value", [{}, ["Transformer"], "text", None])
def test_modules_that_are_no_list_of_objects_make_the_folder_broken(
    tmp_path: Path, value: Any
) -> None:
    with pytest.raises(BrokenModel, match=r"modules\.json"):
        embeds(tmp_path, modules=value)


@pytest.mark.parametrize("value", [5, None, {}, [5]])
def test_architectures_of_any_type_are_taken_for_what_they_are(tmp_path: Path, value: Any) -> None:
    assert not embeds(tmp_path, config={**QWEN3, "architectures": value})


@pytest.mark.parametrize("repo_id", ["org/Qwen3-Embedding-0.6B", "org/text-embed-4bit"])
def test_a_model_with_vectors_in_its_name_was_not_made_to_chat(
    tmp_path: Path, repo_id: str
) -> None:
    assert not is_made_to_chat(repo_id, tmp_path, {"model_type": "llama"})
    assert is_made_to_chat("org/llama", tmp_path, {"model_type": "llama"})


def test_neither_was_an_encoder_nor_what_sentence_transformers_wrote(tmp_path: Path) -> None:
    assert not is_made_to_chat("org/encoder", tmp_path, {"model_type": "bert"})

    (tmp_path / "modules.json").write_text("[]")

    assert not is_made_to_chat("org/pooled", tmp_path, {"model_type": "mistral"})
