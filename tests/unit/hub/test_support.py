"""Support tiers, held against mlx-lm's own tables and the models that the tests run."""

from typing import Any

import pytest

from hub.errors import BrokenModel
from hub.support import TARGETED, Tier, known_architectures, support_tier
from tests.plugins.tiny_configs import CONFIGS


@pytest.mark.parametrize(
    ("config", "tier"),
    [
        ({"model_type": "llama"}, Tier.TARGETED),
        ({"model_type": "mistral"}, Tier.TARGETED),  # mlx-lm builds it as a llama
        ({"model_type": "gemma4_unified"}, Tier.TARGETED),
        ({"model_type": "smollm3"}, Tier.GENERIC),
        ({"model_type": "lfm2-vl"}, Tier.GENERIC),
        ({"model_type": "solar_open"}, Tier.GENERIC),
    ],
)
def test_a_tier_follows_from_what_mlx_lm_can_import(config: dict[str, Any], tier: Tier) -> None:
    assert support_tier(config) is tier


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "bert"}, "knows no model type 'bert'"),
        # A module of mlx-lm's, but no model.
        ({"model_type": "switch_layers"}, "knows no model type 'switch_layers'"),
        ({"model_type": "../../evil"}, "knows no model type"),
        ({"model_type": ["llama"]}, "knows no model type ''"),
        ({}, "knows no model type ''"),
        ({"model_type": "llama", "model_file": "own.py"}, "its own code, which is never run"),
        (
            {"model_type": "llama", "quantization_config": {"quant_method": "hqq"}},
            "quantized like this",
        ),
    ],
)
def test_what_mlx_lm_cannot_load_says_why(config: dict[str, Any], reason: str) -> None:
    with pytest.raises(BrokenModel, match=reason):
        support_tier(config)


def test_the_class_of_a_model_can_decide_its_module() -> None:
    known = known_architectures()
    (kind, name), module = next(iter(known.by_class.items()))

    assert module in known.modules
    assert support_tier({"model_type": kind, "architectures": [name]}) is Tier.GENERIC
    assert support_tier({"model_type": kind, "architectures": name}) is Tier.GENERIC


def test_the_tables_are_those_that_mlx_lm_itself_uses() -> None:
    from mlx_lm import utils

    known = known_architectures()

    assert known.by_type == utils.MODEL_REMAPPING
    assert known.by_class == utils.MODEL_ARCHITECTURE_REMAPPING


def test_every_model_that_is_listed_can_be_imported() -> None:
    from mlx_lm.utils import _get_classes

    for name in TARGETED:
        assert _get_classes({"model_type": name})
    assert len(known_architectures().modules) > 100


def test_targeted_are_only_families_whose_models_the_tests_run() -> None:
    run = {config["model_type"] for config in CONFIGS.values()}

    # gemma4 is the checkpoint's name for what wraps gemma4_text.
    assert TARGETED - run == {"gemma4"}
