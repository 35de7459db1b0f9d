from pathlib import Path

import numpy as np
import pytest

from jobs.errors import JobError
from jobs.finetune.adapters.folder import Adapter, read_adapter
from jobs.finetune.adapters.merge import merge, merge_folders
from tests.unit.jobs.finetune.adapters.conftest import MakeAdapter, Q, V, change, factors


def test_a_merge_is_the_exact_sum(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    a, b = make_adapter("a", {Q: 3, V: 3}), make_adapter("b", {Q: 2}, scale=5.0)

    merge_folders((a, b), tmp_path / "merged")

    merged, one, other = (read_adapter(folder) for folder in (tmp_path / "merged", a, b))
    assert (merged.rank, merged.scale, merged.base_model) == (5, 1.0, "owner/base")
    assert np.allclose(change(merged, Q), change(one, Q) + change(other, Q), atol=1e-6)
    assert np.allclose(change(merged, V), change(one, V), atol=1e-6)


def test_scales_replace_those_of_training(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    a, b = make_adapter("a", {Q: 3}, scale=2.0), make_adapter("b", {Q: 2}, scale=5.0)

    stats = merge_folders((a, b), tmp_path / "merged", (1.0, -0.5))

    merged, one, other = (read_adapter(folder) for folder in (tmp_path / "merged", a, b))
    assert np.allclose(change(merged, Q), change(one, Q) / 2 - change(other, Q) / 10, atol=1e-6)
    assert stats.scales == (1.0, -0.5)


def test_a_merge_says_what_it_did(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    a, b = make_adapter("a", {Q: 3, V: 3}), make_adapter("b", {Q: 2}, scale=5.0)

    assert merge_folders((a, b), tmp_path / "merged").to_json() == {
        "layersMerged": 1,
        "layersOnlyInOne": 1,
        "totalKeysOut": 4,
        "sources": [str(a), str(b)],
        "scales": [2.0, 5.0],
    }


def test_padding_does_not_add_to_the_rank(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    a, b = make_adapter("a", {Q: 2, V: 8}), make_adapter("b", {Q: 2})

    merge_folders((a, b), tmp_path / "merged")

    merged = read_adapter(tmp_path / "merged")
    assert merged.layers[Q].trimmed().rank == 4
    assert merged.rank == 8


def test_as_many_blocks_are_adapted_as_in_either(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    a = make_adapter("a", {Q: 2}, num_layers=4)

    merge_folders((a, make_adapter("b", {Q: 2}, num_layers=7)), tmp_path / "few")
    merge_folders((a, make_adapter("c", {Q: 2}, num_layers=-1)), tmp_path / "all")

    assert read_adapter(tmp_path / "few").num_layers == 7
    assert read_adapter(tmp_path / "all").num_layers == -1


def test_one_model_may_be_recorded_in_two_ways(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    a = make_adapter("a", {Q: 2}, base_model="owner/base")
    b = make_adapter("b", {Q: 2}, base_model="/somewhere/base")

    merge_folders((a, b), tmp_path / "merged")

    assert read_adapter(tmp_path / "merged").base_model == "owner/base"


def test_adapters_of_different_models_are_not_merged(
    make_adapter: MakeAdapter, tmp_path: Path
) -> None:
    a, b = make_adapter("a", {Q: 2}), make_adapter("b", {Q: 2}, base_model="owner/other")

    with pytest.raises(JobError, match="different models: owner/base and owner/other"):
        merge_folders((a, b), tmp_path / "merged")

    assert not (tmp_path / "merged").exists()


def test_layers_of_different_sizes_are_not_merged(make_adapter: MakeAdapter) -> None:
    small = read_adapter(make_adapter("a", {Q: 2}))
    wide = Adapter({Q: factors(2, 0, inputs=8)}, 1.0)

    with pytest.raises(JobError, match=f"{Q} has other sizes"):
        merge([small, wide], (1.0, 1.0))
