import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from hub.config import HubConfig
from hub.errors import AmbiguousModel, BrokenModel, ModelNotFound
from hub.local_model import LocalModel
from hub.registry import DEFAULT_MODEL, auto_pick, resolve, scan
from hub.shape import AttentionLayer, ModelShape

GIB = 2**30
SMALL_SHAPE = ModelShape(attention=(AttentionLayer(64),), max_position_embeddings=2048)


def model(repo_id: str, gib: float = 1, *, is_embedding: bool = False) -> LocalModel:
    """A model whose weights dominate: cache and activations come to about 1.05 GiB."""
    size = int(gib * GIB)
    return LocalModel(
        repo_id, Path("models") / repo_id, "llama", size, 0, is_embedding, None, SMALL_SHAPE
    )


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


def test_a_broken_folder_named_by_path_says_why(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(BrokenModel, match="it has no model"):
        resolve(str(tmp_path), [])


def test_the_default_model_is_picked_over_larger_ones() -> None:
    models = [model("org/large", 9), model(DEFAULT_MODEL, 5)]

    picked = auto_pick(models, 16 * GIB)

    assert picked is not None
    assert picked.repo_id == DEFAULT_MODEL


def test_a_default_model_that_does_not_fit_is_passed_over() -> None:
    picked = auto_pick([model("org/small", 1), model(DEFAULT_MODEL, 5)], 6 * GIB)

    assert picked is not None
    assert picked.repo_id == "org/small"


def test_the_largest_that_leaves_room_for_others_is_picked() -> None:
    # 16 GiB: up to 9.6 GiB coexists, up to 12 GiB fits.
    models = [model("org/1", 1), model("org/8", 8), model("org/10", 10), model("org/20", 20)]

    picked = auto_pick(models, 16 * GIB)

    assert picked is not None
    assert picked.repo_id == "org/8"


def test_the_largest_that_fits_at_all_is_picked_when_none_leaves_room() -> None:
    picked = auto_pick([model("org/9.5", 9.5), model("org/10", 10), model("org/20", 20)], 16 * GIB)

    assert picked is not None
    assert picked.repo_id == "org/10"


def test_nothing_is_picked_when_nothing_fits_or_all_are_embedding_models() -> None:
    assert auto_pick([], 16 * GIB) is None
    assert auto_pick([model("org/20", 20)], 16 * GIB) is None
    assert auto_pick([model("org/e", is_embedding=True)], 16 * GIB) is None


def test_a_wider_cache_can_make_a_model_too_large() -> None:
    heavy = ModelShape(attention=(AttentionLayer(2**18),), max_position_embeddings=4096)
    one = dataclasses.replace(model("org/a", 1), shape=heavy)  # 2 GiB of cache in bfloat16

    assert auto_pick([one], 6 * GIB) == one
    assert auto_pick([one], 6 * GIB, element_bytes=4) is None
