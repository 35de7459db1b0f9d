"""Model folders small enough to write in a test: a config, and safetensors headers."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hub.config import HubConfig

WriteModel = Callable[..., Path]
Refuse = Callable[[Path], None]

LLAMA_CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 8192,
}


@pytest.fixture
def config(tmp_path: Path) -> HubConfig:
    return HubConfig(tmp_path / "cache" / "models", tmp_path / "huggingface" / "hub")


def safetensors_bytes(tensors: Mapping[str, int]) -> bytes:
    """A file whose tensors, given as name to size in bytes, hold zeros."""
    header: dict[str, Any] = {"__metadata__": {"format": "mlx"}}
    offset = 0
    for name, size in tensors.items():
        header[name] = {"dtype": "U8", "shape": [size], "data_offsets": [offset, offset + size]}
        offset += size
    encoded = json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + bytes(offset)


@pytest.fixture
def write_model() -> WriteModel:
    """`write_model(folder, tensors=…, **config changes)` writes a servable llama folder."""

    def write(folder: Path, tensors: Mapping[str, int] | None = None, **changes: Any) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps({**LLAMA_CONFIG, **changes}))
        data = safetensors_bytes(tensors or {"model.norm.weight": 100})
        (folder / "model.safetensors").write_bytes(data)
        return folder

    return write


@pytest.fixture
def write_cached_model(config: HubConfig, write_model: WriteModel) -> WriteModel:
    """`write_cached_model("owner/name")`: the same, laid out as the Hugging Face cache is."""

    def write(repo_id: str, tensors: Mapping[str, int] | None = None, **changes: Any) -> Path:
        repo = config.hf_cache_dir / f"models--{repo_id.replace('/', '--')}"
        (repo / "refs").mkdir(parents=True)
        (repo / "refs" / "main").write_text("abc123")
        return write_model(repo / "snapshots" / "abc123", tensors, **changes)

    return write


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """`refuse(path)`: the system lets nobody read that file or folder, root included."""
    refused: set[str] = set()

    def guard(module: object, name: str) -> None:
        true = getattr(module, name)

        def guarded(path: Any, *args: Any, **options: Any) -> Any:
            if not isinstance(path, int) and os.fspath(path) in refused:
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return true(path, *args, **options)

        monkeypatch.setattr(module, name, guarded)

    for name in ("open", "scandir", "listdir"):
        guard(os, name)
    guard(Path, "read_text")
    return lambda path: refused.add(os.fspath(path))
