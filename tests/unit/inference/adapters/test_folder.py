"""An adapter is read whole, or refused with a reason that names the file or the tensor."""

import json
import os
import random
import tracemalloc

import numpy as np
import pytest

from inference.adapters.errors import BadAdapter
from inference.adapters.folder import read_adapter
from inference.adapters.target import BaseModel, LayerKind, Target
from tests.plugins.adapters import (
    mlx_lm_config,
    random_factors,
    save_tensors,
    write_adapter,
    write_config,
    write_peft,
)
from tests.plugins.hostile_adapters import hostile_folder

TARGETS = {
    f"model.layers.{index}.self_attn.{name}": Target(LayerKind.LINEAR, 16, outputs)
    for index in range(2)
    for name, outputs in (("q_proj", 16), ("v_proj", 8))
}
BASE = BaseModel("org/tiny", TARGETS, 2**20)
FIRST = "model.layers.0.self_attn.q_proj"
HOSTILE = int(os.environ.get("HOSTILE_ADAPTERS", "200"))


@pytest.fixture
def folder(tmp_path):
    return write_adapter(tmp_path / "a", TARGETS, rank=8)


def reason_of(folder, base=BASE):
    with pytest.raises(BadAdapter) as caught:
        read_adapter(folder, base)
    assert str(folder.parent) not in str(caught.value)  # se-04: no path is told
    return str(caught.value)


def rewrite(folder, rank=8, **tensors):
    """Write the weights anew, with some tensors changed, added, or left out if None."""
    merged = {**random_factors(TARGETS, rank, 1), **tensors}
    kept = {name: array for name, array in merged.items() if array is not None}
    save_tensors(folder / "adapters.safetensors", kept)


def test_an_adapter_that_fits_is_read_whole(folder):
    adapter = read_adapter(folder, BASE)

    written = random_factors(TARGETS, 8, 1)
    assert adapter.layers.keys() == TARGETS.keys()
    assert adapter.layers[FIRST].a.data == written[f"{FIRST}.lora_a"].tobytes()
    assert adapter.layers[FIRST].b.shape == (8, 16)
    assert (adapter.config.rank, adapter.config.scale) == (8, 2.0)
    assert adapter.size_bytes == (folder / "adapters.safetensors").stat().st_size


def test_a_part_of_the_layers_is_enough(tmp_path):
    folder = write_adapter(tmp_path / "a", {FIRST: TARGETS[FIRST]})

    assert list(read_adapter(folder, BASE).layers) == [FIRST]


@pytest.mark.parametrize("dtype", ["float16", "uint16"])
def test_half_precision_is_taken(folder, dtype):
    halves = {n: a.astype(dtype) for n, a in random_factors(TARGETS, 8, 1).items()}
    rewrite(folder, **halves)

    assert {layer.a.dtype for layer in read_adapter(folder, BASE).layers.values()} <= {
        "F16",
        "BF16",
    }


def test_pefts_layers_are_found_where_mlx_lm_nests_them(tmp_path):
    folder = write_peft(tmp_path / "a", {FIRST: TARGETS[FIRST]})
    targets = {f"language_model.{FIRST}": TARGETS[FIRST]}

    assert (
        read_adapter(folder, BaseModel("org/tiny", targets, 2**20)).layers.keys() == targets.keys()
    )


def test_ranks_may_vary_only_in_mlx_optiqs_format(folder):
    weaker = random_factors({FIRST: TARGETS[FIRST]}, 3, 1)
    rewrite(folder, **weaker)
    assert "lora_a has shape (16, 3)" in reason_of(folder)

    write_config(folder, {"rank": 8}, "optiq_lora_config.json")

    assert read_adapter(folder, BASE).layers[FIRST].b.shape == (3, 16)


def test_a_digest_is_of_weights_and_scale_not_of_files(folder, tmp_path):
    twin = write_adapter(tmp_path / "twin", TARGETS, rank=8, note="written elsewhere")
    stronger = write_adapter(tmp_path / "b", TARGETS, rank=8, scale=3.0)
    other = write_adapter(tmp_path / "c", TARGETS, rank=8, seed=2)

    digests = [read_adapter(each, BASE).digest for each in (folder, twin, stronger, other)]

    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_a_missing_or_an_empty_folder_is_refused(tmp_path):
    """Public case jf-04, variant 3."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()

    assert "neither adapters.safetensors nor adapter_model" in reason_of(tmp_path / "empty")
    for name in ("nowhere", "file", "a\0b", "\ud800", "x" * 5000):
        assert "path is not a folder" in (reason := reason_of(tmp_path / name)) or (
            "cannot be read" in reason
        )


def test_weights_without_a_configuration_are_refused(folder):
    """Public case jf-04, variant 4."""
    (folder / "adapter_config.json").unlink()

    assert "adapter_config.json" in reason_of(folder)


def test_another_rank_than_the_configurations_is_refused(folder):
    """Public case jf-04, variant 5."""
    rewrite(folder, rank=16)

    assert reason_of(folder).startswith(f"its tensor {FIRST}.lora_a has shape (16, 16)")


def test_layers_of_another_model_are_refused(folder):
    """Public case jf-04, variant 6."""
    beyond = {n.replace(".1.", ".2."): a for n, a in random_factors(TARGETS, 8, 1).items()}
    rewrite(folder, **beyond)

    assert "model.layers.2.self_attn.q_proj.lora_a belongs to a layer" in reason_of(folder)


def test_what_was_trained_on_another_model_is_refused(tmp_path):
    folder = write_adapter(tmp_path / "a", TARGETS, base_model="org/other-model")

    assert reason_of(folder) == (
        "it was trained for org/other-model, but the served model is org/tiny"
    )


@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        ({f"{FIRST}.lora_b": None}, "lora_a lacks the other factor"),
        ({f"{FIRST}.lora_b": np.zeros((8, 17), np.float32)}, "lora_b has shape (8, 17)"),
        ({f"{FIRST}.lora_a": np.zeros((16, 8), np.float64)}, "lora_a is of type F64"),
        ({f"{FIRST}.lora_a": np.zeros((16, 8, 1), np.float32)}, "has shape (16, 8, 1)"),
        ({f"{FIRST}.m": np.zeros(16, np.float32)}, "q_proj.m is no factor"),
        ({"model.norm.weight": np.zeros(16, np.float32)}, "model.norm.weight is no factor"),
        ({"x" * 9000: np.zeros(1, np.float32)}, "x is no factor"),
        (dict.fromkeys(random_factors(TARGETS, 8, 1)), "adapters.safetensors holds no tensors"),
    ],
)
def test_a_tensor_that_does_not_fit_is_named(folder, tensors, reason):
    rewrite(folder, **tensors)

    told = reason_of(folder)

    assert reason in told
    assert len(told) < 400


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"rank_pattern": {"q_proj": 4}}, "sets rank_pattern"),
        ({"alpha_pattern": {"q_proj": 4}}, "sets alpha_pattern"),
        ({"modules_to_save": ["lm_head"]}, "sets modules_to_save"),
        ({"bias": "lora_only"}, "sets bias: trained biases"),
        ({"fan_in_fan_out": True}, "sets fan_in_fan_out"),
        ({"use_dora": True}, "trained by 'dora'"),
        ({"peft_type": "LOHA"}, "trained by 'LOHA'"),
        ({"alora_invocation_tokens": [1]}, "sets alora_invocation_tokens"),
        ({"init_lora_weights": "pissa_niter_4"}, "sets init_lora_weights to pissa_niter_4"),
    ],
)
def test_what_peft_does_beyond_plain_lora_is_refused(tmp_path, fields, reason):
    folder = write_peft(tmp_path / "a", TARGETS, **fields)

    assert reason in reason_of(folder)


def test_pefts_empty_fields_mean_nothing(tmp_path):
    """As PEFT 0.21 writes them."""
    names = ["alora_invocation_tokens", "arrow_config", "base_model_name_or_path", "eva_config"]
    names += ["kasa_config", "layer_replication", "layers_to_transform", "modules_to_save"]
    names += ["target_parameters", "trainable_token_indices", "use_bdlora"]
    empty = dict.fromkeys(names)
    empty |= {"alpha_pattern": {}, "rank_pattern": {}, "loftq_config": {}, "lora_bias": False}
    empty |= {"use_dora": False, "use_qalora": False, "qalora_group_size": 16}

    folder = write_peft(tmp_path / "a", TARGETS, init_lora_weights=True, **empty)

    assert read_adapter(folder, BASE).layers.keys() == TARGETS.keys()


@pytest.mark.parametrize(("rows", "fits"), [(20, True), (21, False)])
def test_the_embedding_that_peft_saves_beside_its_factors_is_passed_over(tmp_path, rows, fits):
    """One of another size is not the served model's."""
    embedding = {"model.embed_tokens": Target(LayerKind.EMBEDDING, 20, 16)}
    folder = write_peft(tmp_path / "a", embedding)
    saved = {
        "base_model.model.model.embed_tokens.base_layer.weight": np.zeros((rows, 16), np.float32),
        "base_model.model.model.embed_tokens.lora_embedding_A": np.ones((4, 20), np.float32),
        "base_model.model.model.embed_tokens.lora_embedding_B": np.ones((16, 4), np.float32),
    }
    save_tensors(folder / "adapter_model.safetensors", saved)
    base = BaseModel("org/tiny", embedding, 2**20)

    if fits:
        assert read_adapter(folder, base).layers.keys() == embedding.keys()
    else:
        assert "base_layer.weight is no factor" in reason_of(folder, base)


def test_programs_are_not_read_for_weights(folder):
    (folder / "adapters.safetensors").rename(folder / "adapter_model.bin")

    assert "adapter_model.bin is not read" in reason_of(folder)


def test_weights_beyond_the_memory_are_refused_before_they_are_read(folder):
    small = BaseModel("org/tiny", TARGETS, 1000)

    assert "memory has room for 1,000" in reason_of(folder, small)


@pytest.mark.parametrize(
    "raw",
    [
        bytes.fromhex("ff" * 8),
        bytes.fromhex("00000080000000000a0b0c0d"),
        bytes.fromhex("02000000000000007b7d"),
        bytes(8),
        b"abc",
        bytes.fromhex("0500000000000000") + b"nojsn",
        (100 * 2**20).to_bytes(8, "little") + b"[" * 100 * 2**20,
    ],
    ids=["length", "2 GB", "empty", "no header", "3 bytes", "no JSON", "100 MB of brackets"],
)
def test_a_file_that_is_no_safetensors_is_refused_in_little_memory(folder, raw):
    """Public case se-07, as used by adapters."""
    (folder / "adapters.safetensors").write_bytes(raw)
    tracemalloc.start()
    try:
        assert "adapters.safetensors" in reason_of(folder)
        assert tracemalloc.get_traced_memory()[1] < 64e6
    finally:
        tracemalloc.stop()


def test_a_pipe_in_the_place_of_the_weights_is_refused(folder):
    (folder / "adapters.safetensors").unlink()
    os.mkfifo(folder / "adapters.safetensors")

    assert "cannot be read" in reason_of(folder)


def test_hostile_folders_are_all_refused(tmp_path):
    numbers = random.Random(7)
    reasons = set()

    for index in range(HOSTILE):
        folder = hostile_folder(tmp_path / f"h{index}", TARGETS, numbers)
        reasons.add(reason_of(folder)[:24])

    assert len(reasons) > 8, reasons


def test_the_generator_of_hostile_folders_begins_with_good_ones(folder):
    config = json.loads((folder / "adapter_config.json").read_text())

    assert config == mlx_lm_config(8, 2.0, ["self_attn.q_proj", "self_attn.v_proj"])
    assert read_adapter(folder, BASE)
