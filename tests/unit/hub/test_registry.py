import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub import local_model
from hub.auto_pick import auto_pick
from hub.config import HubConfig
from hub.errors import AmbiguousModel, BrokenModel, ModelNotFound
from hub.machine import Device, DeviceMemory
from hub.registry import Skipped, find_by_name, resolve, scan
from tests.plugins.listed_model import GIB, model
from tests.unit.hub.conftest import LLAMA_CONFIG, Refuse


def test_a_scan_lists_both_places_in_order(
    config: HubConfig,
    write_model: Callable[..., Path],
    write_cached_model: Callable[..., Path],
) -> None:
    own = write_model(config.models_dir / "org" / "b")
    cached = write_cached_model("org/a")

    found = scan(config)

    assert [(m.repo_id, m.path) for m in found.models] == [("org/a", cached), ("org/b", own)]
    assert found.skipped == ()


def test_a_repo_in_both_places_counts_once(
    config: HubConfig,
    write_model: Callable[..., Path],
    write_cached_model: Callable[..., Path],
) -> None:
    own = write_model(config.models_dir / "org" / "a")
    write_cached_model("org/a")

    assert [m.path for m in scan(config).models] == [own]


def test_a_broken_folder_is_skipped_with_a_reason(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/whole")
    cut = write_cached_model("org/cut") / "model.safetensors"
    cut.write_bytes(cut.read_bytes()[:-1])
    (config.hf_cache_dir / "models--org--started").mkdir()

    found = scan(config)

    assert [m.repo_id for m in found.models] == ["org/whole"]
    reasons = {skip.repo_id: skip.reason for skip in found.skipped}
    assert "cut short" in reasons["org/cut"]
    assert "refs/main is missing" in reasons["org/started"]


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("org/b", "org/b: its folder cannot be read (Permission denied)"),
        ("org/b/config.json", "org/b: it has no readable config.json"),
        (
            "org/b/model.safetensors",
            "org/b: model.safetensors cannot be read (Permission denied)",
        ),
        ("org", "org: its folder cannot be read (Permission denied)"),
        ("", "models: its folder cannot be read (Permission denied)"),
    ],
)
def test_what_cannot_be_read_is_skipped_and_the_others_are_listed(
    place: str, told: str, config: HubConfig, refuse: Refuse, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("write_model")(config.models_dir / "org" / "b")
    request.getfixturevalue("write_cached_model")("other/a")
    refuse(config.models_dir / place)

    found = scan(config)

    assert [m.repo_id for m in found.models] == ["other/a"]
    assert [f"{skip.repo_id}: {skip.reason}" for skip in found.skipped] == [told]


@pytest.mark.parametrize("place", ["", "refs/main", "snapshots/abc123"])
def test_so_it_is_in_the_cache(
    place: str, config: HubConfig, refuse: Refuse, write_cached_model: Callable[..., Path]
) -> None:
    repo = write_cached_model("org/b").parents[1]
    write_cached_model("other/a")
    refuse(repo / place)

    found = scan(config)

    assert "other/a" in [m.repo_id for m in found.models]
    assert len(found.models) + len(found.skipped) == 2


def test_a_folder_that_vanishes_during_a_scan_is_skipped(
    config: HubConfig, write_cached_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cached_model("other/a")
    folder = write_cached_model("org/b")
    true_widths = local_model.widths

    def widths(read: dict[str, Any]) -> Any:
        if read["hidden_size"] == 128:
            shutil.rmtree(folder)
        return true_widths(read)

    monkeypatch.setattr(local_model, "widths", widths)
    (folder / "config.json").write_text(json.dumps({**LLAMA_CONFIG, "hidden_size": 128}))

    found = scan(config)

    assert [m.repo_id for m in found.models] == ["other/a"]
    assert "cannot be read (No such file or directory)" in found.skipped[0].reason


HOSTILE = {
    "absurd-length": b"\xff" * 8,
    "longer-than-the-file": bytes.fromhex("0000008000000000") + b"abcd",
    "no-header": bytes(8),
    "three-bytes": b"abc",
    "no-json": bytes.fromhex("0500000000000000") + b"nojsn",
    "nested": (2**20).to_bytes(8, "little") + b"[" * 2**20,
}


def test_hostile_weight_files_leave_all_other_models_listed(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    """Public case se-07."""
    for name, content in HOSTILE.items():
        (write_cached_model(f"org/{name}") / "model.safetensors").write_bytes(content)
    (write_cached_model("org/deep") / "config.json").write_text('{"a":' * 100_000)
    pipe = write_cached_model("org/pipe") / "model.safetensors"
    pipe.unlink()
    os.mkfifo(pipe)
    write_cached_model("org/whole")

    found = scan(config)

    assert [m.repo_id for m in found.models] == ["org/whole"]
    assert {skip.repo_id for skip in found.skipped} == {
        "org/deep",
        "org/pipe",
        *(f"org/{name}" for name in HOSTILE),
    }


def test_a_repo_with_gguf_files_only_is_skipped(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    folder = write_cached_model("org/model-GGUF")
    (folder / "model.safetensors").rename(folder / "model-q4.gguf")

    [skip] = scan(config).skipped

    assert (skip.repo_id, skip.reason.split(";")[0]) == (
        "org/model-GGUF",
        "it holds GGUF weights only",
    )


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
KEYS = (
    *("model_type", "architectures", "text_config", "vision_config", "audio_config", "is_causal"),
    *("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "hidden_size"),
    *("layer_types", "sliding_window", "sliding_window_pattern", "full_attention_interval"),
    *("num_kv_shared_layers", "kv_lora_rank", "quantization", "quantization_config", "model_file"),
    *("max_position_embeddings", "num_experts", "num_experts_per_tok"),
)
HUGE = st.sampled_from([0, -1, 1, 7, 2**31, 2**40, 10**30])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(st.sampled_from(KEYS), JSON_VALUES | HUGE, max_size=6))
def test_no_config_stops_a_scan(
    config: HubConfig, write_model: Callable[..., Path], changes: dict[str, Any]
) -> None:
    write_model(config.models_dir / "org" / "odd", **changes)

    found = scan(config)

    assert len(found.models) + len(found.skipped) == 1
    for m in found.models:
        if m.known_shape is not None:
            assert auto_pick([m], DeviceMemory(Device.METAL, 10**12)) in (m, None)


@pytest.mark.slow
def test_a_thousand_repos_are_scanned_again_within_a_second(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    for number in range(1000):
        folder = write_cached_model(f"org/model-{number}", num_hidden_layers=48)
        for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
            (folder / name).write_text("{}")
    first = scan(config)

    best = min(_seconds(lambda: scan(config)) for _ in range(3))

    assert len(first.models) == 1000
    assert best < 1


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def test_a_part_of_the_name_in_any_case_is_enough() -> None:
    models = [model("org/Llama-3B"), model("org/qwen")]

    assert resolve("llama", models).repo_id == "org/Llama-3B"


def test_a_whole_id_wins_over_ids_that_contain_it() -> None:
    models = [model("org/llama-4bit"), model("org/llama")]

    assert resolve("ORG/llama", models).repo_id == "org/llama"


def test_a_name_of_several_models_lists_them() -> None:
    models = [model("org/llama-1"), model("org/llama-2"), model("org/qwen")]

    with pytest.raises(AmbiguousModel, match="org/llama-1, org/llama-2") as caught:
        resolve("llama", models)

    assert caught.value.candidates == ("org/llama-1", "org/llama-2")


def test_a_name_of_no_model_lists_what_is_here() -> None:
    with pytest.raises(ModelNotFound, match="on this machine: org/qwen"):
        resolve("llama", [model("org/qwen")])
    with pytest.raises(ModelNotFound, match="none yet"):
        resolve("llama", [])


def test_a_folder_is_read_directly(tmp_path: Path, write_model: Callable[..., Path]) -> None:
    folder = write_model(tmp_path / "models--org--name" / "snapshots" / "abc")

    found = resolve(str(folder), [])

    assert (found.repo_id, found.path) == ("org/name", folder)


def test_a_folder_known_to_the_registry_keeps_its_repo_id(
    config: HubConfig, write_model: Callable[..., Path]
) -> None:
    folder = write_model(config.models_dir / "org" / "name")

    assert resolve(str(folder), scan(config).models).repo_id == "org/name"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"tier": None, "problem": "mlx-lm knows no 'bert'"},
            "org/a cannot be served: mlx-lm knows",
        ),
        ({"known_shape": None, "problem": "it says too little"}, "it says too little"),
    ],
)
def test_a_model_that_cannot_be_served_says_so_and_is_never_picked(
    changes: dict[str, Any], reason: str
) -> None:
    one = model("org/a", **changes)

    with pytest.raises(BrokenModel, match=reason):
        resolve("org/a", [one])
    assert auto_pick([one], DeviceMemory(Device.METAL, 16 * GIB)) is None


def test_a_broken_folder_named_by_path_says_why(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(BrokenModel, match="it has no model"):
        resolve(str(tmp_path), [])


@pytest.mark.parametrize("query", ["~nobody-of-this-name/x", "x" * 5000, "a\0b"])
def test_what_can_be_no_path_is_a_name(query: str) -> None:
    with pytest.raises(ModelNotFound, match="no model matches"):
        resolve(query, [])


def test_a_path_is_no_name(write_model: Callable[..., Path], tmp_path: Path) -> None:
    folder = write_model(tmp_path / "elsewhere")

    with pytest.raises(ModelNotFound):
        find_by_name(str(folder), [])


@pytest.mark.parametrize("others", [[], ["org/broken-2"]])
def test_a_folder_that_was_skipped_is_told_with_its_reason(others: list[str]) -> None:
    skipped = [Skipped("org/Broken", Path("broken"), "model-2.safetensors is missing")]

    with pytest.raises(BrokenModel, match="org/Broken cannot be served: model-2"):
        find_by_name("org/broken", [model(name) for name in others], skipped)


def test_a_whole_model_is_found_where_a_folder_of_its_name_was_skipped() -> None:
    skipped = [Skipped("org/name", Path("name"), "it is no model")]

    assert find_by_name("org/name", [model("org/name")], skipped).repo_id == "org/name"
