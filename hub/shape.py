"""The shape of a model: what its `config.json` says about memory.

`hub.fit` computes with it. Nothing here reads files, and nothing here knows weights: their
size comes from the safetensors headers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hub.errors import BrokenModel
from hub.text_config import TextConfig

# For a config that states no limit: larger than any model of today, small enough to print.
NO_STATED_LIMIT = 2**20
MAX_LAYERS = 10_000  # a hundred times as many as any model of today has
# Latent attention whose mlx-lm model caches whole keys and values all the same (0.32.2).
EXPANDED_LATENT = {"deepseek_v2", "minicpm3", "youtu_llm"}


@dataclass(frozen=True, slots=True)
class AttentionLayer:
    """A layer with a KV cache.

    elements: numbers kept for one token, keys and values together.
    sliding: the cache keeps the last `ModelShape.window` tokens only.
    """

    elements: int
    sliding: bool = False


@dataclass(frozen=True, slots=True)
class LinearLayer:
    """A linear-attention layer: a state of fixed size, however long the context."""

    value_heads: int
    value_head_dim: int
    key_heads: int
    key_head_dim: int
    conv_kernel: int


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What a model's memory and speed depend on, besides its weights.

    window: tokens kept by a sliding layer; None without such layers.
    max_position_embeddings: the longest context the model was made for, in tokens.
    num_experts, experts_per_token: 0 and 0 for a dense model.
    """

    attention: tuple[AttentionLayer, ...]
    linear: tuple[LinearLayer, ...] = ()
    window: int | None = None
    max_position_embeddings: int = NO_STATED_LIMIT
    num_experts: int = 0
    experts_per_token: int = 0


def build_shape(config: Mapping[str, Any]) -> ModelShape:
    """Read the shape from a parsed `config.json`; raises BrokenModel when it says too little.

    Layers that share another layer's cache (Gemma's last ones) hold none of their own and
    are left out. A layer of a kind unknown here counts as full attention: too much memory
    rather than too little.
    """
    text = TextConfig(config)
    kinds = _layer_kinds(text)
    window = text.need("sliding_window") if "sliding_attention" in kinds else None
    return ModelShape(
        attention=tuple(
            AttentionLayer(_kv_elements(text, kind), sliding=kind == "sliding_attention")
            for kind in kinds
            if kind != "linear_attention"
        ),
        linear=tuple(_linear_layer(text) for kind in kinds if kind == "linear_attention"),
        window=window,
        max_position_embeddings=text.get(
            "max_position_embeddings", "max_seq_len", "seq_length", "n_positions"
        )
        or NO_STATED_LIMIT,
        num_experts=text.get("num_experts", "num_local_experts", "n_routed_experts"),
        experts_per_token=text.get("num_experts_per_tok", "top_k_experts", "moe_topk"),
    )


def _layer_kinds(text: TextConfig) -> list[str]:
    count = text.need("num_hidden_layers", "n_layers", "n_layer")
    if count > MAX_LAYERS:
        raise BrokenModel(f"its config.json names {count:,} layers; {MAX_LAYERS:,} are allowed")
    kinds = text.names("layer_types")
    for key, otherwise in (
        ("sliding_window_pattern", "sliding_attention"),
        ("full_attention_interval", "linear_attention"),
    ):
        period = text.get(key)
        if period and not kinds:
            kinds = [otherwise if i % period else "full_attention" for i in range(1, count + 1)]
    kinds += ["full_attention"] * (count - len(kinds))
    return kinds[: max(0, count - text.get("num_kv_shared_layers"))]


def _kv_elements(text: TextConfig, kind: str) -> int:
    heads = text.need("num_attention_heads", "n_heads", "n_head")
    if text.get("kv_lora_rank"):
        rotary = text.need("qk_rope_head_dim")
        if text.model_type in EXPANDED_LATENT:
            key_dim = text.need("qk_nope_head_dim") + rotary
            return heads * (key_dim + (text.get("v_head_dim") or key_dim))
        # One compressed vector for all heads, and the rotary part of the key.
        return text.need("kv_lora_rank") + rotary
    kv_heads = text.get("num_key_value_heads") or heads
    head_dim = text.get("head_dim") or text.need("hidden_size", "n_embd") // heads
    if kind == "full_attention":
        kv_heads = text.get("num_global_key_value_heads") or kv_heads
        head_dim = text.get("global_head_dim") or head_dim
    return 2 * kv_heads * head_dim


def _linear_layer(text: TextConfig) -> LinearLayer:
    return LinearLayer(
        value_heads=text.need("linear_num_value_heads"),
        value_head_dim=text.need("linear_value_head_dim"),
        key_heads=text.need("linear_num_key_heads"),
        key_head_dim=text.need("linear_key_head_dim"),
        conv_kernel=text.need("linear_conv_kernel_dim"),
    )
