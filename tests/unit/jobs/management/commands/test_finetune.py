"""`manage.py finetune`: what is typed becomes what is asked; looks at data, merges, exports."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import MISSING, fields
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from safetensors.numpy import save_file

from jobs.finetune.adapters.folder import read_adapter
from jobs.finetune.config import FinetuneConfig, read_config
from jobs.management.commands.finetune import add_training
from jobs.models import Job

Q = "model.layers.0.self_attn.q_proj"
Finetune = Callable[..., str]


@pytest.fixture
def cache(tmp_path: Path, settings: Any) -> Path:
    settings.CACHE_DIR = tmp_path / "cache"
    return tmp_path / "cache"


@pytest.fixture
def finetune(cache: Path) -> Finetune:
    def call(*arguments: str) -> str:
        output = StringIO()
        call_command("finetune", *arguments, stdout=output)
        return output.getvalue()

    return call


def write_adapter(folder: Path, scale: float = 3.0) -> Path:
    folder.mkdir(parents=True)
    a, b = np.ones((6, 2), np.float32), np.full((2, 4), 0.5, np.float32)
    save_file({f"{Q}.lora_a": a, f"{Q}.lora_b": b}, folder / "adapters.safetensors")
    config = {"lora_parameters": {"rank": 2, "scale": scale}, "base_model": "owner/base"}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


def test_every_field_is_an_option() -> None:
    parser = ArgumentParser()
    add_training(parser)
    names = {each.name for each in fields(FinetuneConfig) if each.default is not MISSING}

    parsed = vars(parser.parse_args(["model", "data"]))

    assert names <= set(parsed)
    assert {parsed[name] for name in names} == {None}


def test_what_is_typed_is_what_is_asked() -> None:
    parser = ArgumentParser()
    add_training(parser)
    typed = "m d --method orpo --rank 4 --scale 2.5 --target-modules q_proj,v_proj --rs-lora"
    typed += " --no-save-checkpoints --orpo-lr-schedule constant --learning-rate 3e-4"

    parsed = vars(parser.parse_args(typed.split()))

    given = {name: value for name, value in parsed.items() if value is not None}
    config = read_config({**given, "model_dir": "m", "data_dir": "d", "adapter_path": "a"})
    assert (config.method, config.rank, config.scale) == ("orpo", 4, 2.5)
    assert config.target_modules == ("q_proj", "v_proj")
    assert (config.rs_lora, config.save_checkpoints) == (True, False)
    assert (config.schedule, config.learning_rate) == ("constant", 3e-4)


@pytest.mark.django_db(transaction=True)
def test_a_job_is_queued(
    finetune: Finetune, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.submit.enqueue", lambda job: None)

    told = finetune("submit", "owner/model", str(tmp_path), "--iters", "7")

    job = Job.objects.get()
    config = json.loads(job.config_json)
    assert f"manage.py jobs follow {job.pk}" in told
    assert (job.kind, config["model_dir"], config["iters"]) == ("finetune", "owner/model", 7)
    assert Path(config["adapter_path"]).parent == cache / "adapters"
    assert job.output_path == config["adapter_path"]


@pytest.mark.parametrize("action", ["run", "submit"])
def test_a_bad_value_is_told_before_anything_is_made(
    action: str, finetune: Finetune, cache: Path
) -> None:
    with pytest.raises(CommandError, match="rank is 0; allowed"):
        finetune(action, "owner/model", "data", "--rank", "0")

    assert not cache.exists()


def test_data_are_inspected(finetune: Finetune, tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n' * 3)

    told = finetune("inspect", str(tmp_path))

    assert told == "3 rows to train on, 0 to validate on\nFormat: text\n"


def test_a_fault_in_data_is_named(finetune: Finetune, tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("{\n")

    with pytest.raises(CommandError, match=r"train\.jsonl line 1: not JSON"):
        finetune("inspect", str(tmp_path))


def test_adapters_are_merged_into_the_cache(
    finetune: Finetune, cache: Path, tmp_path: Path
) -> None:
    a, b = write_adapter(tmp_path / "a"), write_adapter(tmp_path / "b")

    told = finetune("merge", str(a), str(b), "--scales", "1", "0.5")

    [merged] = (cache / "adapters").iterdir()
    assert "1 layers of both and 0 of one, scaled by 1 and 0.5" in told
    assert f"Adapter: {merged}" in told
    assert read_adapter(merged).rank == 4


def test_adapters_are_merged_where_one_wants(finetune: Finetune, tmp_path: Path) -> None:
    a, b = write_adapter(tmp_path / "a"), write_adapter(tmp_path / "b")

    finetune("merge", str(a), str(b), "--output", str(tmp_path / "sum"))

    assert read_adapter(tmp_path / "sum").base_model == "owner/base"
    with pytest.raises(CommandError, match="sum is there already"):
        finetune("merge", str(a), str(b), "--output", str(tmp_path / "sum"))


def test_an_adapter_goes_to_peft_and_back(finetune: Finetune, tmp_path: Path) -> None:
    source = write_adapter(tmp_path / "a")

    finetune("export", str(source), "--peft", str(tmp_path / "peft"))
    finetune("export", str(tmp_path / "peft"), "--mlx", str(tmp_path / "back"))

    before, after = read_adapter(source), read_adapter(tmp_path / "back")
    assert (after.scale, after.base_model) == (3.0, "owner/base")
    assert np.array_equal(after.layers[Q].a, before.layers[Q].a)
    assert np.array_equal(after.layers[Q].b, before.layers[Q].b)


def test_a_manifest_is_exported(finetune: Finetune, cache: Path, tmp_path: Path) -> None:
    adapter = write_adapter(tmp_path / "a")

    finetune("export", str(adapter), "--base-model", "owner/base", "--method", "dpo")

    [folder] = (cache / "exports").iterdir()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["base_model"], manifest["method"]) == ("owner/base", "dpo")


def test_a_manifest_needs_a_model(finetune: Finetune, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="give --base-model"):
        finetune("export", str(write_adapter(tmp_path / "a")))
