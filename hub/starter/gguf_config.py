"""GGUF metadata to the words of a `config.json`: llama architecture only. No arrays here."""

from collections.abc import Mapping
from typing import Any

from hub.errors import ConversionFailed

Metadata = Mapping[str, Any]


def build_config(metadata: Metadata, *, tied: bool) -> dict[str, Any]:
    """Build the model's config; `tied` when the output layer is the embedding.

    Raises ConversionFailed for what a llama config cannot say, instead of dropping it.
    """
    architecture = metadata.get("general.architecture")
    if architecture != "llama":
        raise ConversionFailed(f"the GGUF file is of architecture {architecture}, not llama")
    if any(key.startswith("llama.rope.scaling") for key in metadata):
        raise ConversionFailed("the GGUF file scales its rotary positions: not supported")

    def get(key: str, default: Any = None) -> Any:
        value = metadata.get(f"llama.{key}", default)
        if value is None:
            raise ConversionFailed(f"the GGUF file does not say llama.{key}")
        return value

    heads = get("attention.head_count")
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": get("embedding_length"),
        "intermediate_size": get("feed_forward_length"),
        "num_hidden_layers": get("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": get("attention.head_count_kv", heads),
        "head_dim": get("rope.dimension_count", get("embedding_length") // heads),
        "max_position_embeddings": get("context_length"),
        # Stored as float32: 1e-5 reads back as 9.999999747378752e-06.
        "rms_norm_eps": round(get("attention.layer_norm_rms_epsilon"), 12),
        "rope_theta": get("rope.freq_base", 10000.0),
        "vocab_size": get("vocab_size", len(metadata["tokenizer.ggml.tokens"])),
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": tied,
        **token_ids(metadata),
    }


def token_ids(metadata: Metadata) -> dict[str, int]:
    """The special token ids that the file names; absent ones are left out."""
    names = {"bos": "bos", "eos": "eos", "pad": "padding"}
    found = {
        f"{ours}_token_id": metadata.get(f"tokenizer.ggml.{theirs}_token_id")
        for ours, theirs in names.items()
    }
    return {key: value for key, value in found.items() if value is not None}
