import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from jobs.errors import JobError
from jobs.finetune.adapters.folder import Adapter, Factors, read_adapter, write_adapter
from jobs.finetune.adapters.peft import export_to_peft, import_from_peft
from tests.unit.jobs.finetune.adapters.conftest import MakeAdapter, Q, V, change


def test_peft_gets_its_names_shapes_and_alpha(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    source = make_adapter("a", {Q: 2, V: 3}, dropout=0.1)

    export_to_peft(source, tmp_path / "peft")

    config = json.loads((tmp_path / "peft" / "adapter_config.json").read_text())
    assert (config["peft_type"], config["r"], config["lora_alpha"]) == ("LORA", 3, 6.0)
    assert config["target_modules"] == ["q_proj", "v_proj"]
    assert (config["base_model_name_or_path"], config["lora_dropout"]) == ("owner/base", 0.1)
    tensors = load_file(tmp_path / "peft" / "adapter_model.safetensors")
    assert tensors[f"base_model.model.{Q}.lora_A.weight"].shape == (3, 6)
    assert tensors[f"base_model.model.{Q}.lora_B.weight"].shape == (4, 3)


def test_there_and_back_changes_nothing(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    source = make_adapter("a", {Q: 2, V: 3})

    export_to_peft(source, tmp_path / "peft")
    import_from_peft(tmp_path / "peft", tmp_path / "back")

    before, after = read_adapter(source), read_adapter(tmp_path / "back")
    assert (after.scale, after.rank, after.base_model) == (2.0, 3, "owner/base")
    for path in (Q, V):
        assert np.array_equal(after.layers[path].a, before.layers[path].a)
        assert np.array_equal(after.layers[path].b, before.layers[path].b)


def test_another_base_can_be_recorded(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    export_to_peft(make_adapter("a", {Q: 2}), tmp_path / "peft", "owner/unquantized")

    config = json.loads((tmp_path / "peft" / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == "owner/unquantized"


def write_peft(folder: Path, **fields: Any) -> Path:
    folder.mkdir()
    rows = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    stem = f"base_model.model.{Q}"
    save_file(
        {f"{stem}.lora_A.weight": rows, f"{stem}.lora_B.weight": np.ascontiguousarray(rows.T)},
        folder / "adapter_model.safetensors",
    )
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, **fields}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize(("fields", "scale"), [({}, 2.0), ({"use_rslora": True}, 4.0)])
def test_the_scale_follows_from_alpha(fields: dict[str, Any], scale: float, tmp_path: Path) -> None:
    import_from_peft(write_peft(tmp_path / "peft", **fields), tmp_path / "mlx")

    read = read_adapter(tmp_path / "mlx")
    assert (read.scale, read.num_layers) == (scale, -1)
    assert change(read, Q).shape == (6, 6)


@pytest.mark.parametrize(
    "fields",
    [
        {"use_dora": True},
        {"peft_type": "IA3"},
        {"rank_pattern": {"q": 2}},
        {"modules_to_save": ["h"]},
    ],
    ids=str,
)
def test_what_is_more_than_plain_lora_is_refused(fields: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(JobError):
        import_from_peft(write_peft(tmp_path / "peft", **fields), tmp_path / "mlx")

    assert not (tmp_path / "mlx").exists()


def test_only_adapters_of_peft_are_imported(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    with pytest.raises(JobError, match=r"has no adapter_model\.safetensors"):
        import_from_peft(make_adapter("a", {Q: 2}), tmp_path / "mlx")


def test_experts_are_not_exported(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    layers = {Q: Factors(np.ones((3, 6, 2), np.float32), np.ones((3, 2, 4), np.float32))}
    write_adapter(tmp_path / "a", Adapter(layers, 1.0))

    with pytest.raises(JobError, match="adapts experts"):
        export_to_peft(tmp_path / "a", tmp_path / "peft")
