"""The whole job on tiny models: what it writes, what it says, and what it leaves when it ends."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx_lm
import pytest
from mlx.utils import tree_flatten

from hub.config import HubConfig
from hub.density import WeightsOption
from hub.folders import main_snapshot
from hub.registry import scan
from inference.engine.loader import load
from jobs.emitter import Emitter
from jobs.errors import Cancelled
from jobs.outcome import Outcome
from jobs.quantize import run as module
from jobs.quantize.errors import QuantizeError
from jobs.quantize.run import run

LocalModel = Callable[..., Path]
TOKENS = mx.array([[1, 2, 3, 4, 5]])


def quantize(model_id: str, **fields: Any) -> tuple[Outcome, list[dict[str, Any]]]:
    log = io.StringIO()
    request = {"model_id": model_id, "group_size": 32, "n_calibration": 2, **fields}
    outcome = run(request, Emitter(log))
    return outcome, [json.loads(line) for line in log.getvalue().splitlines()]


def left(hub: HubConfig) -> list[str]:
    if not hub.hf_cache_dir.is_dir():
        return []
    return sorted(p.name for p in hub.hf_cache_dir.iterdir() if p.name != ".locks")


def folder_of(outcome: Outcome) -> Path:
    assert outcome.output_dir is not None
    return Path(outcome.output_dir)


UNIFORM = {"bits": 4}
MIXED = {"target_bpw": 6.5, "candidate_bits": [3, 4, 8]}


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("llama", UNIFORM),
        ("gemma2", UNIFORM),  # its embedding is its head as well
        ("deepseek_v3", UNIFORM),
        ("experts", MIXED),
        ("hybrid", MIXED),
        ("sliding", MIXED),
        ("gemma4_text", MIXED),
    ],
)
def test_a_model_of_any_architecture_is_quantized_and_loads(
    hub: HubConfig, local_model: LocalModel, kind: str, fields: dict[str, Any]
) -> None:
    local_model(kind)

    outcome, _ = quantize(f"tiny/{kind}", **fields)

    model, _ = mlx_lm.load(outcome.output_dir)
    logits = model(TOKENS)
    assert mx.isfinite(logits).all().item()
    assert any("scales" in name for name, _ in tree_flatten(model.parameters()))
    stored = sum(array.nbytes for _, array in tree_flatten(model.parameters()))
    assert stored == outcome.summary["size_bytes"]
    assert outcome.summary["kl"] > 0
    if "target_bpw" in fields:
        assert outcome.summary["bits_per_weight"] <= fields["target_bpw"]
    assert load(folder_of(outcome), WeightsOption.AUTO, 10**9).model is not None


def test_the_result_is_listed_as_a_model_of_the_cache(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama")

    outcome, _ = quantize("tiny/llama", bits=8)

    found = {model.repo_id: model for model in scan(hub).models}["tiny/llama-OptiQ-8bit"]
    assert found.path == folder_of(outcome)
    assert found.path == main_snapshot(hub.hf_cache_dir / "models--tiny--llama-OptiQ-8bit")
    assert found.quantization is not None
    assert (found.quantization.bits, found.quantization.group_size) == (8, 32)
    assert (found.problem, found.weight_bytes) == ("", outcome.summary["size_bytes"])
    assert scan(hub).skipped == ()


def test_tokenizer_template_and_defaults_come_along_and_links_to_elsewhere_do_not(
    hub: HubConfig, local_model: LocalModel, tmp_path: Path
) -> None:
    source = local_model("llama")
    (source / "generation_config.json").write_text('{"temperature": 0.3}')
    (source / "chat_template.jinja").write_text("{{ messages }}")
    (source / "LICENSE").write_text("do as you like")
    (source / "modeling.py").write_text("import os")
    (source / "README.md").write_text("---\nlicense: mit\nlanguage: [en]\n---\n# Old")
    (tmp_path / "secret").write_text("of somebody else")
    (source / "tokenizer_secret.json").symlink_to(tmp_path / "secret")

    folder = folder_of(quantize("tiny/llama")[0])

    names = {path.name for path in folder.iterdir()}
    assert names == {
        "LICENSE", "README.md", "chat_template.jinja", "config.json", "generation_config.json",
        "model.safetensors", "model.safetensors.index.json", "tokenizer.json",
        "tokenizer_config.json",
    }  # fmt: skip
    assert (folder / "tokenizer.json").read_bytes() == (source / "tokenizer.json").read_bytes()
    card = (folder / "README.md").read_text()
    assert "license: mit" in card
    assert "base_model: tiny/llama" in card
    assert "# tiny/llama-OptiQ-4bit" in card
    assert "4 bits, groups of 32." in card


def test_scales_of_a_float32_source_are_bfloat16_unless_asked_otherwise(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama")

    def types(**fields: Any) -> set[mx.Dtype]:
        folder = folder_of(quantize("tiny/llama", **fields)[0])
        arrays = mx.load(str(folder / "model.safetensors")).values()
        return {array.dtype for array in arrays if mx.issubdtype(array.dtype, mx.floating)}

    assert types() == {mx.bfloat16}
    assert types(scales="float16") == {mx.float16}
    assert types(scales="float32") == {mx.float32}


def test_a_mixed_model_diverges_less_than_a_uniform_one_of_its_size(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama4")
    uniform = quantize("tiny/llama4", bits=4)[0].summary

    mixed = quantize(
        "tiny/llama4", target_bpw=uniform["bits_per_weight"], candidate_bits=[3, 4, 5, 8]
    )[0].summary

    assert mixed["size_bytes"] <= uniform["size_bytes"]
    assert mixed["kl"] < uniform["kl"]
    assert set(mixed["layer_bits"].values()) > {4}


def test_a_mixed_checkpoint_names_the_width_of_each_module(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama")

    outcome, _ = quantize("tiny/llama", target_bpw=6.5, candidate_bits=[4, 8])

    model, _ = mlx_lm.load(outcome.output_dir)
    widths = {name: m.bits for name, m in model.named_modules() if "scales" in m}
    assert widths == outcome.summary["layer_bits"]
    assert set(widths.values()) == {4, 8}


def test_a_rotation_is_reported_beside_what_it_would_be_without(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("qwen3")
    plain = quantize("tiny/qwen3")[0].summary

    outcome, _ = quantize("tiny/qwen3", rotate_weights=True, rotation_seed=7)

    rotation = outcome.summary["rotation"]
    assert outcome.summary["repo_id"] == "tiny/qwen3-OptiQ-4bit-rot7"
    assert rotation["seed"] == 7
    assert rotation["kl_without"] == pytest.approx(plain["kl"], rel=1e-3)
    assert outcome.summary["kl"] != rotation["kl_without"]
    assert mlx_lm.load(outcome.output_dir)[0](TOKENS).shape == (1, 5, 259)


def test_a_quantized_source_is_quantized_again_with_a_warning(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama")
    quantize("tiny/llama", bits=8)

    outcome, events = quantize("tiny/llama-OptiQ-8bit", bits=4)

    [warning] = outcome.summary["warnings"]
    assert "quantized to 8 bits already" in warning
    assert {"type": "log", "line": f"warning: {warning}"} in events
    assert outcome.summary["repo_id"] == "tiny/llama-OptiQ-8bit-OptiQ-4bit"


def test_divergence_can_be_measured_from_another_model(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama")
    quantize("tiny/llama", bits=8)

    outcome, _ = quantize("tiny/llama-OptiQ-8bit", bits=8, reference="tiny/llama")

    assert outcome.summary["reference"] == "tiny/llama"
    assert outcome.summary["source_perplexity"] != outcome.summary["perplexity"]


def test_progress_goes_through_every_stage_to_the_end(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama")

    _, events = quantize("tiny/llama", target_bpw=6.5, rotate_weights=True)

    stages = [event for event in events if event["type"] == "stage"]
    assert list(dict.fromkeys(event["stage"] for event in stages)) == [
        "reading", "sensitivity", "sensitivity without rotation", "writing", "measuring",
    ]  # fmt: skip
    progress = [event["progress"] for event in stages]
    assert progress == sorted(progress)
    assert (progress[0], progress[-1]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model_id": "tiny/absent"}, "no model matches 'tiny/absent'"),
        ({"model_id": "/gone"}, "/gone is not a folder"),
        ({"reference": "tiny/absent"}, "no model matches 'tiny/absent'"),
        ({"target_bpw": 5.0, "candidate_bits": [4, 8]}, "this model has 5.037"),
        ({"bits": 9}, "bits must be one of"),
    ],
)
def test_what_cannot_be_done_is_told_and_leaves_nothing(
    hub: HubConfig, local_model: LocalModel, fields: dict[str, Any], words: str
) -> None:
    local_model("llama")

    with pytest.raises(QuantizeError) as raised:
        quantize(**{"model_id": "tiny/llama", **fields})

    assert words in str(raised.value)
    assert left(hub) == []


def test_a_reference_with_another_vocabulary_is_refused(
    hub: HubConfig, local_model: LocalModel
) -> None:
    local_model("llama")
    other = local_model("qwen3")
    config = json.loads((other / "config.json").read_text())
    weights = dict(mx.load(str(other / "model.safetensors")))
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        weights[name] = mx.concatenate([weights[name], weights[name][:5]])
    mx.save_safetensors(str(other / "model.safetensors"), weights, metadata={"format": "mlx"})
    (other / "config.json").write_text(json.dumps({**config, "vocab_size": 264}))

    with pytest.raises(QuantizeError, match="264 tokens and the model 259"):
        quantize("tiny/llama", reference="tiny/qwen3")


def test_a_disk_without_room_is_told_before_the_work(
    hub: HubConfig, local_model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_model("llama")
    usage = type("usage", (), {"free": 2**30})
    monkeypatch.setattr("hub.downloads.disk_space.shutil.disk_usage", lambda path: usage)

    with pytest.raises(QuantizeError, match=r"1\.1 GB are free: free some space, or set HF_HUB"):
        quantize("tiny/llama")

    assert left(hub) == []


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("study", Cancelled),
        ("decide", Cancelled),
        ("write_model", Cancelled),
        ("write_model", MemoryError),
        ("write_model", OSError(28, "No space left on device")),
        ("compare", Cancelled),
        ("write_card", Cancelled),
    ],
)
def test_whatever_ends_a_job_early_leaves_nothing(
    hub: HubConfig,
    local_model: LocalModel,
    monkeypatch: pytest.MonkeyPatch,
    error: Any,
    step: str,
) -> None:
    def end(*_arguments: Any, **_named: Any) -> Any:
        raise error

    local_model("llama")
    monkeypatch.setattr(module, step, end)

    with pytest.raises(QuantizeError if isinstance(error, OSError) else error):
        quantize("tiny/llama")

    assert left(hub) == []


def test_a_large_model_is_written_in_shards(
    hub: HubConfig, local_model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_model("experts")
    monkeypatch.setattr("jobs.quantize.shards.SHARD_BYTES", 30_000)

    folder = folder_of(quantize("tiny/experts")[0])

    shards = sorted(path.name for path in folder.glob("*.safetensors"))
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    assert shards[0] == f"model-00001-of-{len(shards):05}.safetensors"
    assert len(shards) > 2
    assert sorted(set(index["weight_map"].values())) == shards
    assert mlx_lm.load(str(folder))[0](TOKENS).shape == (1, 5, 259)
