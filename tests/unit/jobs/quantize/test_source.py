from collections.abc import Callable
from pathlib import Path

import pytest

from hub.config import HubConfig
from hub.errors import AmbiguousModel, BrokenModel, ModelNotFound
from jobs.quantize.errors import QuantizeError
from jobs.quantize.source import find_source, inspect, name_of, require_quantizable

Write = Callable[..., Path]


def test_a_model_is_found_by_its_repo_id_by_a_part_of_it_and_by_its_folder(
    config: HubConfig, write_cached_model: Write, write_model: Write
) -> None:
    cached = write_cached_model("org/first")
    own = write_model(config.models_dir / "org" / "second")

    for query, path in [
        ("org/first", cached), ("ORG/First", cached), ("firs", cached), (str(cached), cached),
        ("second", own), (str(own), own),
    ]:  # fmt: skip
        assert find_source(config, query).path == path


def test_a_folder_within_the_known_places_has_the_name_of_its_repo(
    config: HubConfig, write_cached_model: Write, write_model: Write
) -> None:
    assert name_of(config, str(write_cached_model("org/first"))) == "org/first"
    assert name_of(config, str(write_model(config.models_dir / "org" / "second"))) == "org/second"


def test_any_other_folder_has_its_own_name(
    config: HubConfig, write_model: Write, tmp_path: Path
) -> None:
    assert name_of(config, str(write_model(tmp_path / "mine"))) == "mine"


def test_what_is_not_here_keeps_the_name_it_was_asked_by(config: HubConfig) -> None:
    assert name_of(config, "org/absent") == "org/absent"
    assert name_of(config, "/gone/away") == "away"


def test_a_name_that_means_nothing_or_too_much_is_told(
    config: HubConfig, write_cached_model: Write
) -> None:
    write_cached_model("org/a-1")
    write_cached_model("org/a-2")

    with pytest.raises(ModelNotFound, match="on this machine: org/a-1, org/a-2"):
        find_source(config, "org/b")
    with pytest.raises(ModelNotFound, match="not a folder with a config"):
        find_source(config, "/gone/away")
    with pytest.raises(AmbiguousModel):
        find_source(config, "org/a")


def test_a_model_that_mlx_lm_knows_can_be_quantized(
    config: HubConfig, write_cached_model: Write
) -> None:
    write_cached_model("org/a", {"model.norm.weight": 1000})

    found = inspect(config, "org/a")

    assert (found.arch, found.size_bytes, found.problem) == ("llama", 1000, "")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "unheard_of"}, "knows no model type"),
        ({"model_file": "model.py"}, "its own code"),
        ({"quantization_config": {"quant_method": "bitnet"}}, "bitnet"),
        ({"quantize_activations": True}, "activations are quantized"),
        ({"num_hidden_layers": None}, "num_hidden_layers"),
    ],
)
def test_a_model_that_cannot_be_quantized_is_known_and_the_reason_told(
    config: HubConfig, write_cached_model: Write, changes: dict[str, object], words: str
) -> None:
    write_cached_model("org/odd", **changes)

    found = inspect(config, "org/odd")

    assert words in found.problem
    with pytest.raises(QuantizeError, match="org/odd cannot be quantized"):
        require_quantizable(find_source(config, "org/odd"))


def test_an_embedding_model_cannot_be_measured(
    config: HubConfig, write_cached_model: Write
) -> None:
    write_cached_model("org/a-embedding-4bit")

    assert "texts into vectors" in inspect(config, "org/a-embedding-4bit").problem


@pytest.mark.parametrize("content", [b"", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0{}x"[:5], b"no"])
def test_a_broken_weight_file_is_a_broken_model(
    config: HubConfig, write_model: Write, tmp_path: Path, content: bytes
) -> None:
    folder = write_model(tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(content)

    with pytest.raises(BrokenModel):
        inspect(config, str(folder))
