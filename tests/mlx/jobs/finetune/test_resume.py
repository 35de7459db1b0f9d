"""A run that was stopped, killed or cancelled goes on as if nothing had happened."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from jobs.errors import Cancelled, JobError
from tests.mlx.jobs.finetune.conftest import PAIRS, ROWS, Finetune, Run

# Everything that has a state: moments, the order of rows, dropout, the schedule.
FIELDS: dict[str, Any] = {
    "iters": 24,
    "grad_accumulation_steps": 2,
    "lora_dropout": 0.2,
    "lora_plus_ratio": 2,
    "steps_per_eval": 6,
    "save_checkpoints": True,
}


class Killed(BaseException):
    """Ends a run where it stands."""


def stop_at(step: int, error: type[BaseException]) -> Callable[[dict[str, Any]], None]:
    def stop(event: dict[str, Any]) -> None:
        if event["type"] == "metric" and event["kind"] == "train" and event["step"] == step:
            raise error

    return stop


def assert_same(one: Run, other: Run) -> None:
    assert one.weights.keys() == other.weights.keys()
    for name, weight in one.weights.items():
        assert mx.array_equal(weight, other.weights[name]).item(), name


def points(run: Run) -> list[Any]:
    record = json.loads((run.folder / "training.json").read_text())
    return [record["train"], record.get("val")]


@pytest.mark.parametrize(
    ("method", "error"), [("sft", KeyboardInterrupt), ("dpo", Cancelled), ("orpo", MemoryError)]
)
def test_a_run_that_was_stopped_goes_on_where_it_stopped(
    method: str, error: type[BaseException], finetune: Finetune, tmp_path: Path
) -> None:
    valid = ROWS[:2] if method == "sft" else PAIRS[:2]
    fields = {**FIELDS, "method": method, "valid": valid, "learning_rate": 3e-3}
    whole = finetune(**fields)
    folder = tmp_path / "stopped"

    with pytest.raises(error):
        finetune(**fields, adapter_path=folder, on_event=stop_at(10, error))
    assert (folder / "adapter_config.json").exists()
    again = finetune(**fields, adapter_path=folder)

    assert "going on after iteration 10" in again.events.logs()
    assert again.losses == whole.losses[5:]
    assert points(again) == points(whole)
    assert_same(again, whole)


def test_a_run_that_was_killed_goes_on_from_its_last_checkpoint(
    finetune: Finetune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jobs.finetune.training.session import Session

    whole = finetune(**FIELDS)
    folder = tmp_path / "killed"
    with monkeypatch.context() as patch:
        patch.setattr(Session, "_keep", lambda self, error: None)  # as SIGKILL leaves no time
        with pytest.raises(Killed):
            finetune(**FIELDS, adapter_path=folder, on_event=stop_at(16, Killed))

    assert not (folder / "adapter_config.json").exists()
    again = finetune(**FIELDS, adapter_path=folder)

    assert "going on after iteration 12" in again.events.logs()
    assert again.losses == whole.losses[6:]
    assert_same(again, whole)


def test_a_report_goes_on_across_a_stop(finetune: Finetune, tmp_path: Path) -> None:
    fields = {**FIELDS, "steps_per_report": 8}
    whole = finetune(**fields)
    stop_within = {"on_event": None}
    seen = 0

    def stop(event: dict[str, Any]) -> None:
        nonlocal seen
        seen += event["type"] == "metric" and event["kind"] == "val"
        if seen == 3:  # after iteration 12, in the middle of a report
            raise KeyboardInterrupt

    stop_within["on_event"] = stop
    with pytest.raises(KeyboardInterrupt):
        finetune(**fields, valid=ROWS[:1], adapter_path=tmp_path / "a", on_event=stop)
    again = finetune(**fields, valid=ROWS[:1], adapter_path=tmp_path / "a")

    assert again.losses == whole.losses[1:]


def test_every_checkpoint_is_an_adapter_and_the_newest_can_go_on(
    finetune: Finetune, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        finetune(**FIELDS, adapter_path=tmp_path / "a", on_event=stop_at(14, KeyboardInterrupt))
    found = {
        path.name: sorted(file.name for file in path.iterdir())
        for path in (tmp_path / "a" / "checkpoints").iterdir()
    }

    adapter = ["adapter_config.json", "adapters.safetensors"]
    assert found == {
        "0000006": adapter,
        "0000012": adapter,
        "0000014": [*adapter, "progress.json", "state.safetensors"],
    }


def test_a_run_that_is_done_keeps_its_checkpoints_as_adapters(finetune: Finetune) -> None:
    run = finetune(**FIELDS)
    names = {path.name for path in (run.folder / "checkpoints").rglob("*") if path.is_file()}

    assert names == {"adapter_config.json", "adapters.safetensors"}
    assert not list(run.folder.rglob(".*"))


def test_without_checkpoints_a_stop_still_leaves_an_adapter(
    finetune: Finetune, tmp_path: Path
) -> None:
    fields = {**FIELDS, "save_checkpoints": False}
    folder = tmp_path / "a"

    with pytest.raises(KeyboardInterrupt):
        finetune(**fields, adapter_path=folder, on_event=stop_at(8, KeyboardInterrupt))

    names = sorted(path.name for path in folder.iterdir())
    assert names == ["adapter_config.json", "adapters.safetensors", "loss.svg", "training.json"]


def test_a_run_that_is_stopped_before_it_learnt_leaves_nothing(
    finetune: Finetune, tmp_path: Path
) -> None:
    def stop(event: dict[str, Any]) -> None:
        if event["type"] == "stage" and event["stage"] == "data":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finetune(adapter_path=tmp_path / "a", on_event=stop)

    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("change", "name"), [({"rank": 4}, "rank 8"), ({"rows": ROWS[:4]}, "training data")]
)
def test_another_run_does_not_go_on_from_it(
    change: dict[str, Any], name: str, finetune: Finetune, tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    with pytest.raises(KeyboardInterrupt):
        finetune(**FIELDS, adapter_path=folder, on_event=stop_at(8, KeyboardInterrupt))

    with pytest.raises(JobError, match=f"holds an unfinished run with {name}"):
        finetune(**FIELDS, **change, adapter_path=folder)


def test_how_often_is_reported_may_change(finetune: Finetune, tmp_path: Path) -> None:
    folder = tmp_path / "a"
    whole = finetune(**FIELDS)
    with pytest.raises(KeyboardInterrupt):
        finetune(**FIELDS, adapter_path=folder, on_event=stop_at(8, KeyboardInterrupt))

    again = finetune(**{**FIELDS, "steps_per_report": 5, "steps_per_eval": 0}, adapter_path=folder)

    assert_same(again, whole)


def test_a_checkpoint_that_is_broken_is_named(finetune: Finetune, tmp_path: Path) -> None:
    folder = tmp_path / "a"
    with pytest.raises(KeyboardInterrupt):
        finetune(**FIELDS, adapter_path=folder, on_event=stop_at(8, KeyboardInterrupt))
    (folder / "checkpoints" / "0000008" / "state.safetensors").write_bytes(b"x" * 20)

    with pytest.raises(JobError, match="checkpoints/0000008 cannot be read"):
        finetune(**FIELDS, adapter_path=folder)


@pytest.mark.parametrize("left", [[], [".0000050.partial-123", ".0000050.old"]])
def test_what_a_killed_run_left_of_its_first_checkpoint_is_no_obstacle(
    left: list[str], finetune: Finetune, tmp_path: Path
) -> None:
    place = tmp_path / "killed" / "checkpoints"
    place.mkdir(parents=True)
    for name in left:
        (place / name).mkdir()
        (place / name / "adapters.safetensors").write_bytes(b"half")

    run = finetune(adapter_path=tmp_path / "killed")

    assert run.losses
    assert not place.exists()


def test_checkpoints_of_somebody_else_are_an_obstacle(finetune: Finetune, tmp_path: Path) -> None:
    (tmp_path / "a" / "checkpoints" / "mine").mkdir(parents=True)

    with pytest.raises(JobError, match="is not empty"):
        finetune(adapter_path=tmp_path / "a")

    assert (tmp_path / "a" / "checkpoints" / "mine").is_dir()


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No checkpoint gets beyond its weights."""

    def fail(*arguments: Any) -> None:
        raise RuntimeError("[save_safetensors] no space left")

    monkeypatch.setattr("jobs.finetune.training.checkpoint.mx.save_safetensors", fail)


@pytest.mark.usefixtures("full_disk")
def test_a_checkpoint_that_cannot_be_written_ends_no_run(finetune: Finetune) -> None:
    run = finetune(**FIELDS)

    assert len(run.losses) == 12
    assert (run.folder / "adapter_config.json").exists()
    told = [line for line in run.events.logs() if "was not written" in line]
    assert [line.split()[4] for line in told] == ["6", "12", "18"]
    assert not list(run.folder.rglob(".*"))


@pytest.mark.usefixtures("full_disk")
def test_a_stop_without_space_for_a_checkpoint_keeps_the_adapter(
    finetune: Finetune, tmp_path: Path
) -> None:
    stop = stop_at(10, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        finetune(**FIELDS, adapter_path=tmp_path / "a", on_event=stop)

    assert (tmp_path / "a" / "adapter_config.json").exists()
    assert (tmp_path / "a" / "adapters.safetensors").exists()
