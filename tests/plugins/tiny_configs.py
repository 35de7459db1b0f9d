"""Configurations of the tiny models: what each adds to the common part, by its kind."""

from typing import Any

COMMON: dict[str, Any] = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
}
_MOE = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "moe_intermediate_size": 32,
    "norm_topk_prob": True,
}
# Every second layer keeps a recurrent state in place of keys and values.
_GATED_DELTA = {
    "full_attention_interval": 2,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
}
# Every second layer forgets what is more than 16 tokens back.
_WINDOWS = {
    "layer_types": ["sliding_attention", "full_attention"],
    "sliding_window": 16,
    "sliding_window_pattern": 2,
}
CONFIGS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama"},
    "sliding": {"model_type": "llama", **_WINDOWS, "sliding_window": 32},
    "gemma3_text": {
        "model_type": "gemma3_text",
        "query_pre_attn_scalar": 16,
        "rope_local_base_freq": 10000.0,
        **_WINDOWS,
    },
    # The last two of its four layers read the keys and values of the first two.
    "gemma4_text": {
        "model_type": "gemma4_text",
        **_WINDOWS,
        "num_hidden_layers": 4,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
        "num_kv_shared_layers": 2,
        "global_head_dim": 32,
        "hidden_size_per_layer_input": 8,
        "vocab_size_per_layer_input": 259,
    },
    "hybrid": {
        "model_type": "qwen3_next",
        "shared_expert_intermediate_size": 32,
        "partial_rotary_factor": 0.5,
        **_GATED_DELTA,
        **_MOE,
    },
    "qwen3_5": {"model_type": "qwen3_5", **_GATED_DELTA},
    "qwen3_5_moe": {
        "model_type": "qwen3_5_moe",
        "shared_expert_intermediate_size": 32,
        **_GATED_DELTA,
        **_MOE,
    },
    "qwen3": {"model_type": "qwen3"},
    "experts": {"model_type": "qwen3_moe", **_MOE},
    # Keeps a compressed latent in place of keys and values.
    "deepseek_v3": {
        "model_type": "deepseek_v3",
        "num_key_value_heads": 4,
        "kv_lora_rank": 32,
        "q_lora_rank": 24,
        "qk_rope_head_dim": 16,
        "qk_nope_head_dim": 16,
        "v_head_dim": 16,
    },
    # Keeps a recurrent state in every layer.
    "mamba2": {
        "model_type": "mamba2",
        "num_heads": 8,
        "state_size": 16,
        "conv_kernel": 4,
        "n_groups": 1,
        "use_bias": False,
        "use_conv_bias": True,
        "time_step_rank": "auto",
        "time_step_limit": [0.0, 1e6],
        "layer_norm_epsilon": 1e-5,
    },
    # Keeps its tokens in chunks of 16; such caches cannot be merged.
    "llama4": {
        "model_type": "llama4",
        "text_config": {
            **COMMON,
            "model_type": "llama4_text",
            "num_hidden_layers": 4,
            "vocab_size": 259,
            "max_position_embeddings": 1024,
            "attention_bias": False,
            "attention_chunk_size": 16,
            "interleave_moe_layer_step": 2,
            "intermediate_size_mlp": 96,
            "num_experts_per_tok": 1,
            "num_local_experts": 4,
            "rope_scaling": None,
            "use_qk_norm": True,
        },
    },
    # Its attention takes the mask of a single row for granted.
    "gemma2": {
        "model_type": "gemma2",
        "query_pre_attn_scalar": 16,
        "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0,
    },
}

_WIDE_HEADS = (
    "head_dim",
    "global_head_dim",
    "kv_lora_rank",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "v_head_dim",
)


def _wide(config: dict[str, Any]) -> dict[str, Any]:
    """The same with heads of 64 numbers, which caches can quantize."""
    named = {"head_dim", *config}
    return {**config, **{name: 64 for name in _WIDE_HEADS if name in named}}


_QUANTIZED = ("llama", "gemma2", "gemma3_text", "gemma4_text", "qwen3_5", "deepseek_v3")
WIDE = {f"wide_{kind}": _wide(CONFIGS[kind]) for kind in _QUANTIZED}
