"""A folder to upload, and a Hub that is asked again at once."""

import random
from pathlib import Path

import pytest

WEIGHTS = random.Random(1).randbytes(350_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model: two small files, one large one, one in a folder."""
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# A model\n")
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(WEIGHTS)
    (folder / "sub" / "notes.txt").write_text("notes")
    return folder


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails is tried again without a pause."""
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda seconds: None)
