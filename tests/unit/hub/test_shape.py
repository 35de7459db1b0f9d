"""The shape of a model, from the configs that real families publish (numbers made small)."""

from typing import Any

import pytest

from hub.errors import BrokenModel
from hub.shape import NO_STATED_LIMIT, AttentionLayer, LinearLayer, build_shape

HYBRID: dict[str, Any] = {
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "full_attention_interval": 4,
    "linear_num_value_heads": 4,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 6,
    "linear_conv_kernel_dim": 4,
}


def test_a_dense_config_without_layer_types_is_full_attention_throughout() -> None:
    shape = build_shape(
        {
            "num_hidden_layers": 3,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "hidden_size": 128,
            "sliding_window": 4096,  # stated by Mistral and Qwen2, used by neither here
            "max_position_embeddings": 32768,
        }
    )

    assert shape.attention == (AttentionLayer(elements=2 * 2 * 16),) * 3
    assert shape.window is None
    assert shape.max_position_embeddings == 32768


def test_heads_without_a_kv_count_keep_one_key_and_value_each() -> None:
    shape = build_shape({"n_layer": 1, "n_head": 4, "n_embd": 32, "n_positions": 1024})

    assert shape.attention == (AttentionLayer(elements=2 * 4 * 8),)
    assert shape.max_position_embeddings == 1024


def test_global_layers_of_a_nested_config_have_their_own_heads() -> None:
    shape = build_shape(
        {
            "model_type": "gemma4",
            "text_config": {
                "model_type": "gemma4_text",
                "num_hidden_layers": 3,
                "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
                "num_attention_heads": 8,
                "num_key_value_heads": 2,
                "num_global_key_value_heads": 1,
                "head_dim": 16,
                "global_head_dim": 32,
                "sliding_window": 512,
            },
        }
    )

    sliding = AttentionLayer(elements=2 * 2 * 16, sliding=True)
    assert shape.attention == (sliding, sliding, AttentionLayer(elements=2 * 1 * 32))
    assert shape.window == 512


def test_layers_that_share_a_cache_hold_none_of_their_own() -> None:
    shape = build_shape(
        {
            "num_hidden_layers": 10,
            "num_kv_shared_layers": 4,
            "num_attention_heads": 1,
            "head_dim": 8,
        }
    )

    assert len(shape.attention) == 6


def test_a_pattern_makes_every_nth_layer_global() -> None:
    shape = build_shape(
        {"model_type": "gemma3_text", "num_hidden_layers": 7, "sliding_window": 1024}
    )

    assert [layer.sliding for layer in shape.attention] == [True] * 5 + [False, True]


def test_an_interval_makes_the_other_layers_linear() -> None:
    shape = build_shape(HYBRID)

    assert shape.attention == (AttentionLayer(elements=2 * 2 * 16),)
    assert shape.linear == (LinearLayer(4, 8, 2, 6, 4),) * 3


def test_latent_attention_keeps_one_vector_for_all_heads() -> None:
    config = {
        "model_type": "deepseek_v3",
        "num_hidden_layers": 1,
        "num_attention_heads": 128,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
    }

    latent = build_shape(config)
    expanded = build_shape({**config, "model_type": "deepseek_v2"})

    assert latent.attention == (AttentionLayer(elements=576),)
    assert expanded.attention == (AttentionLayer(elements=128 * (192 + 128)),)


def test_experts_are_read_under_each_familys_name() -> None:
    base = {"num_hidden_layers": 1, "num_attention_heads": 1, "head_dim": 8}

    qwen = build_shape({**base, "num_experts": 128, "num_experts_per_tok": 8})
    gemma = build_shape({**base, "num_experts": 64, "top_k_experts": 4})
    dense = build_shape({**base, "num_experts": None})

    assert (qwen.num_experts, qwen.experts_per_token) == (128, 8)
    assert (gemma.num_experts, gemma.experts_per_token) == (64, 4)
    assert (dense.num_experts, dense.experts_per_token) == (0, 0)


def test_a_config_without_a_context_limit_has_a_very_large_one() -> None:
    shape = build_shape({"num_hidden_layers": 1, "num_attention_heads": 1, "head_dim": 8})

    assert shape.max_position_embeddings == NO_STATED_LIMIT


def test_a_config_that_says_too_little_names_what_is_missing() -> None:
    with pytest.raises(BrokenModel, match="does not say num_hidden_layers"):
        build_shape({"model_type": "whisper"})
