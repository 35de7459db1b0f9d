from typing import Any

import pytest

from hub.quantization import Quantization, is_loadable, read_quantization, widths


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"quantization": {"bits": 4, "group_size": 64}}, Quantization(4, 64)),
        ({"quantization_config": {"bits": 8, "quant_method": "gptq"}}, Quantization(8, None)),
        ({"text_config": {"quantization_config": {"bits": 3}}}, Quantization(3, None)),
        ({"quantization_config": {"quant_method": "mxfp4"}}, Quantization(4, 32)),
        ({"quantization": {"mode": "nvfp4"}}, Quantization(4, 16)),
        ({"quantization_config": {"quant_method": "fp8"}}, None),
        ({"quantization": {"bits": "4"}}, None),
        ({"quantization": {"bits": True}}, None),
        ({"quantization": [], "quantization_config": 5}, None),
        ({"quantization": {"bits": 4, "mode": []}}, Quantization(4, None)),
        ({}, None),
    ],
)
def test_bits_and_group_are_those_of_most_layers(
    config: dict[str, Any], expected: Quantization | None
) -> None:
    assert read_quantization(config) == expected


def test_a_mixed_checkpoint_lists_the_width_of_single_modules() -> None:
    config = {
        "quantization": {
            "bits": 4,
            "group_size": 64,
            "model.embed_tokens": {"bits": 8, "group_size": 64},
            "lm_head": False,
        }
    }

    assert widths(config) == {"": 4, "model.embed_tokens": 8}


@pytest.mark.parametrize(
    ("config", "loadable"),
    [
        ({}, True),
        ({"quantization": {"bits": 4}}, True),
        ({"quantization_config": {"quant_method": "awq"}}, True),
        ({"quantization_config": {"quant_method": "bitsandbytes"}}, False),
        ({"quantization_config": {"quant_method": []}}, False),
        # mlx-lm writes both, and reads the first.
        ({"quantization": {"bits": 4}, "quantization_config": {"bits": 4}}, True),
    ],
)
def test_mlx_lm_loads_some_methods_only(config: dict[str, Any], loadable: bool) -> None:
    assert is_loadable(config) is loadable
