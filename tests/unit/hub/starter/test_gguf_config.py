from typing import Any

import pytest

from hub.errors import ConversionFailed
from hub.starter.gguf_config import build_config, token_ids

METADATA: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.embedding_length": 64,
    "llama.feed_forward_length": 128,
    "llama.block_count": 2,
    "llama.attention.head_count": 4,
    "llama.context_length": 2048,
    "llama.attention.layer_norm_rms_epsilon": 9.999999747378752e-06,
    "tokenizer.ggml.tokens": ["a", "b", "c"],
    "tokenizer.ggml.eos_token_id": 2,
}


def test_metadata_becomes_a_llama_config() -> None:
    config = build_config(METADATA, tied=True)

    assert config["model_type"] == "llama"
    assert config["hidden_size"] == 64
    assert config["rms_norm_eps"] == 1e-05
    assert config["tie_word_embeddings"] is True
    assert config["eos_token_id"] == 2


def test_what_the_file_leaves_out_follows_from_what_it_says() -> None:
    config = build_config(METADATA, tied=False)

    assert config["num_key_value_heads"] == 4
    assert config["head_dim"] == 16
    assert config["vocab_size"] == 3
    assert config["rope_theta"] == 10000.0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"general.architecture": "qwen2"}, "architecture qwen2, not llama"),
        ({"llama.rope.scaling.type": "linear"}, "scales its rotary positions"),
        ({"llama.block_count": None}, r"does not say llama\.block_count"),
    ],
)
def test_what_a_llama_config_cannot_say_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConversionFailed, match=reason):
        build_config({**METADATA, **change}, tied=True)


def test_only_the_special_tokens_of_the_file_are_named() -> None:
    assert token_ids(METADATA) == {"eos_token_id": 2}
    assert token_ids({"tokenizer.ggml.padding_token_id": 0}) == {"pad_token_id": 0}
