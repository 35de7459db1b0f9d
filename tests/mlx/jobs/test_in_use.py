"""A snapshot that a job reads is marked as in use until the job has ended, however it ends."""

import io
import json

import pytest

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.finetune import run as finetuning
from jobs.quantize import run as quantizing
from tests.plugins.tiny_model import write_checkpoint

REPO_ID = "tiny/llama"


@pytest.fixture
def repo(tmp_path, settings):
    """A model of the cache, at the commit `one`."""
    settings.HUB = HubConfig(tmp_path / "models", tmp_path / "hf")
    repo = CachedRepo.of(settings.HUB, REPO_ID)
    write_checkpoint(repo.snapshots / "one", "llama")
    repo.write_ref("main", "one")
    return repo


@pytest.fixture
def fails(repo, monkeypatch):
    """Call with an object and its function that does the work: it fails; returns what was seen."""

    def fails(owner, name):
        seen = []

        def work(*arguments, **more):
            seen.append(repo.use_lock("one").is_shared_or_held())
            raise JobError("it broke")

        monkeypatch.setattr(owner, name, work)
        return seen

    return fails


def test_a_run_that_learns_marks_its_model(repo, fails, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.jsonl").write_text(json.dumps({"text": "Hi"}))
    request = {
        "model_dir": REPO_ID,
        "data_dir": str(tmp_path / "data"),
        "adapter_path": str(tmp_path / "adapter"),
    }
    seen = fails(finetuning, "set_up")

    with pytest.raises(JobError, match="it broke"):
        finetuning.run(request, Emitter(io.StringIO()))

    assert seen == [True]
    assert not repo.use_lock("one").is_shared_or_held()


def test_quantizing_marks_its_source(repo, fails):
    seen = fails(quantizing, "study")

    with pytest.raises(JobError, match="it broke"):
        quantizing.run({"model_id": REPO_ID}, Emitter(io.StringIO()))

    assert seen == [True]
    assert not repo.use_lock("one").is_shared_or_held()
