"""Runs of the fine-tuning job on a tiny llama, in this process."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jobs.emitter import Emitter

ROWS = [
    {
        "messages": [
            {"role": "user", "content": f"Say {number}"},
            {"role": "assistant", "content": f"It is {number}{'!' * number}"},
        ]
    }
    for number in range(8)
]
PAIRS = [
    {"prompt": f"Say {number}", "chosen": f"Yes, {number}{'!' * number}", "rejected": "no"}
    for number in range(8)
]


@dataclass
class Events:
    """A sink that keeps what a job tells. on_event: hears each, and may raise."""

    on_event: Callable[[dict[str, Any]], None] | None = None
    all: list[dict[str, Any]] = field(default_factory=list)

    def write(self, line: str) -> None:
        event = json.loads(line)
        self.all.append(event)
        if self.on_event is not None:
            self.on_event(event)

    def flush(self) -> None:
        pass

    def metrics(self, kind: str) -> list[dict[str, Any]]:
        return [e for e in self.all if e["type"] == "metric" and e["kind"] == kind]

    def losses(self, kind: str = "train") -> list[float]:
        return [event["loss"] for event in self.metrics(kind)]

    def logs(self) -> list[str]:
        return [event["line"] for event in self.all if event["type"] == "log"]


@dataclass(frozen=True)
class Run:
    events: Events
    folder: Path
    outcome: Any

    @property
    def losses(self) -> list[float]:
        return self.events.losses()

    @property
    def config(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "adapter_config.json").read_text()))

    @property
    def weights(self) -> dict[str, Any]:
        import mlx.core as mx

        return dict(mx.load(str(self.folder / "adapters.safetensors")))


Finetune = Callable[..., Run]
DEFAULTS = {
    "iters": 6,
    "steps_per_report": 1,
    "steps_per_eval": 0,
    "learning_rate": 1e-2,
    "save_checkpoints": False,
}


def write_data(folder: Path, train: list[Any], valid: list[Any] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("train", train), ("valid", valid)):
        if rows is not None:
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(lines)
    return folder


@pytest.fixture
def finetune(tmp_path: Path, tiny_checkpoint: Callable[[str], Path]) -> Finetune:
    """`finetune(rows, valid=rows, on_event=…, kind=…, **fields)` trains and returns a `Run`.

    Results go to new folders unless `adapter_path` is named; pairs are the rows of dpo and orpo.
    """
    from jobs.finetune.run import run

    count = 0

    def train(
        rows: list[Any] | None = None,
        valid: list[Any] | None = None,
        on_event: Callable[[dict[str, Any]], None] | None = None,
        kind: str = "llama",
        **fields: Any,
    ) -> Run:
        nonlocal count
        count += 1
        usual = PAIRS if fields.get("method") in ("dpo", "orpo") else ROWS
        data = write_data(tmp_path / f"data-{count}", usual if rows is None else rows, valid)
        folder = Path(fields.pop("adapter_path", tmp_path / f"adapter-{count}"))
        places = {"data_dir": str(data), "adapter_path": str(folder)}
        events = Events(on_event)
        asked = {"model_dir": str(tiny_checkpoint(kind)), **places, **DEFAULTS, **fields}
        return Run(events, folder, run(asked, Emitter(events)))

    return train
