import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from jobs.errors import JobError
from jobs.finetune.adapters.folder import Adapter, Factors, read_adapter, write_adapter
from tests.unit.jobs.finetune.adapters.conftest import MakeAdapter, Q, V, factors

CONFIG = {"fine_tune_type": "lora", "num_layers": 1, "lora_parameters": {"rank": 2, "scale": 1.0}}


def write(folder: Path, tensors: dict[str, np.ndarray], **changes: object) -> Path:
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "adapters.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({**CONFIG, **changes}))
    return folder


def test_what_is_written_is_read(make_adapter: MakeAdapter) -> None:
    read = read_adapter(make_adapter("a", {Q: 2, V: 2}, dropout=0.1, more={"method": "dpo"}))

    assert list(read.layers) == [Q, V]
    assert (read.rank, read.scale, read.base_model) == (2, 2.0, "owner/base")
    assert (read.num_layers, read.dropout, read.more) == (2, 0.1, {"method": "dpo"})
    assert read.keys == ["self_attn.q_proj", "self_attn.v_proj"]


def test_all_layers_are_written_with_one_rank(make_adapter: MakeAdapter) -> None:
    read = read_adapter(make_adapter("a", {Q: 2, V: 5}))

    assert {factors.rank for factors in read.layers.values()} == {5}
    assert read.layers[Q].trimmed().rank == 2
    assert not read.layers[Q].a[:, 2:].any()


def test_padding_and_trimming_change_nothing() -> None:
    plain = factors(3, 0)

    assert np.array_equal(plain.padded(7).trimmed().a, plain.a)
    assert np.allclose(plain.padded(7).a @ plain.padded(7).b, plain.a @ plain.b)


def test_a_new_adapter_is_not_trimmed_away() -> None:
    new = Factors(np.ones((6, 3), np.float32), np.zeros((3, 4), np.float32))

    assert new.trimmed().rank == 3
    assert Factors(new.a * 0, new.b).trimmed().rank == 1


def test_factors_of_experts_lie_transposed(tmp_path: Path) -> None:
    path = "model.layers.0.mlp.switch_mlp.up_proj"
    a, b = np.ones((3, 6, 2), np.float32), np.ones((3, 2, 4), np.float32)

    write_adapter(tmp_path, Adapter({path: Factors(a, b)}, scale=1.0))

    assert read_adapter(tmp_path).layers[path].a.shape == (3, 6, 2)
    from safetensors.numpy import load_file

    stored = load_file(tmp_path / "adapters.safetensors")
    assert stored[f"{path}.lora_a"].shape == (3, 2, 6)
    assert stored[f"{path}.lora_b"].shape == (3, 4, 2)


def test_half_precision_is_read(tmp_path: Path) -> None:
    a, b = np.full((6, 2), 1.5, np.float16), np.full((2, 4), -0.25, np.float16)

    read = read_adapter(write(tmp_path / "a", {f"{Q}.lora_a": a, f"{Q}.lora_b": b}))

    assert read.layers[Q].a.dtype == np.float32
    assert np.array_equal(read.layers[Q].a, a)


def test_brain_floats_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {})
    values = np.array([1.5, -0.25, 3.0e38, 0.0], np.float32)
    data = (values.view(np.uint32) >> 16).astype("<u2").tobytes()
    header = {
        f"{Q}.lora_a": {"dtype": "BF16", "shape": [2, 1], "data_offsets": [0, 4]},
        f"{Q}.lora_b": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [4, 8]},
    }
    encoded = json.dumps(header).encode()
    (folder / "adapters.safetensors").write_bytes(
        len(encoded).to_bytes(8, "little") + encoded + data
    )

    read = read_adapter(folder)

    assert read.layers[Q].a.ravel().tolist() == [1.5, -0.25]
    assert read.layers[Q].b.ravel() == pytest.approx([3.0e38, 0.0], rel=1e-2)


def one(shape: tuple[int, ...], kind: type = np.float32) -> np.ndarray:
    return np.ones(shape, kind)


@pytest.mark.parametrize(
    ("tensors", "changes", "problem"),
    [
        ({}, {}, "holds no tensors"),
        ({f"{Q}.lora_a": one((6, 2))}, {}, "lacks one of its two factors"),
        ({f"{Q}.weight": one((6, 2))}, {}, "is no factor of a LoRA adapter"),
        ({f"{Q}.lora_a": one((6, 2)), f"{Q}.lora_b": one((3, 4))}, {}, "do not fit"),
        ({f"{Q}.lora_a": one((6, 2), np.int32), f"{Q}.lora_b": one((2, 4))}, {}, "of type I32"),
        ({f"{Q}.lora_a": one((6,)), f"{Q}.lora_b": one((2, 4))}, {}, "or no matrix"),
        ({f"{Q}.lora_a": one((6, 2))}, {"fine_tune_type": "dora"}, "dora"),
        ({f"{Q}.lora_a": one((6, 2))}, {"lora_parameters": {"rank": 2}}, "no scale"),
    ],
)
def test_what_is_no_lora_adapter_is_refused(
    tensors: dict[str, np.ndarray], changes: dict[str, object], problem: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "a", tensors, **changes)

    with pytest.raises(JobError) as caught:
        read_adapter(folder)

    assert str(caught.value).startswith(f"{folder}: ")
    assert problem in str(caught.value)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="nowhere is not a folder"):
        read_adapter(tmp_path / "nowhere")


def test_the_configuration_is_written_last(
    make_adapter: MakeAdapter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = read_adapter(make_adapter("a", {Q: 2}))
    target = tmp_path / "target"
    target.mkdir()

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("jobs.finetune.adapters.folder.save_file", fail)
    with pytest.raises(OSError, match="No space"):
        write_adapter(target, adapter)

    assert not (target / "adapter_config.json").exists()
