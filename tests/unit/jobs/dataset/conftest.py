"""Datasets built in this process: `build("sft_qa_pairs", pairs_text=…)`, and a model to ask."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jobs.config import JobsConfig
from jobs.dataset.run import run
from jobs.emitter import Emitter
from jobs.finetune.data.inspect import Inspection, inspect
from tests.plugins.model_server import ModelServer


@dataclass
class Built:
    """What a run left. rows: of both files, in order, each once."""

    folder: Path
    events: list[dict[str, Any]]
    summary: dict[str, Any]

    @property
    def rows(self) -> list[dict[str, Any]]:
        train, valid = (self.read(name) for name in ("train.jsonl", "valid.jsonl"))
        return train if train == valid else train + valid

    @property
    def log(self) -> list[str]:
        return [event["line"] for event in self.events if event["type"] == "log"]

    def read(self, name: str) -> list[dict[str, Any]]:
        lines = (self.folder / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def inspect(self) -> Inspection:
        return inspect(self.folder)


@pytest.fixture
def cache(settings: Any, tmp_path: Path) -> Path:
    settings.CACHE_DIR = tmp_path / "cache"
    return tmp_path / "cache"


@pytest.fixture
def model_server(
    settings: Any, jobs_config: JobsConfig, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ModelServer]:
    """The server that jobs ask; nothing waits long between two tries."""
    server = ModelServer()
    settings.JOBS = JobsConfig(jobs_config.directory, jobs_config.queue_path, None, server.url)
    monkeypatch.setattr("jobs.dataset.client.RETRY_WAITS", (0.0, 0.0))
    yield server
    server.stop()


@pytest.fixture
def events() -> list[dict[str, Any]]:
    """What `build` has told; also of a run that failed."""
    return []


@pytest.fixture
def build(cache: Path, events: list[dict[str, Any]]) -> Callable[..., Built]:
    """Call with a template's id and its inputs, and maybe `model_name`."""

    def build(template_id: str, model_name: str | None = None, **inputs: Any) -> Built:
        sink = io.StringIO()
        request = {"template_id": template_id, "inputs": inputs, "model_name": model_name}
        try:
            outcome = run(request, Emitter(sink))
        finally:
            events[:] = [json.loads(line) for line in sink.getvalue().splitlines()]
        assert outcome.output_dir is not None
        return Built(Path(outcome.output_dir), list(events), outcome.summary)

    return build
