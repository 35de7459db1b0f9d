from typing import Any

import pytest

from hub.errors import ConversionFailed
from hub.starter.gguf_tokenizer import build_tokenizer, tokenizer_config

TOKENS = ["<|end|>", "<user>", "a", "b", "1", "2", "Ġ", "ab", "12", "Ġa"]
METADATA: dict[str, Any] = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.token_type": [3, 4] + [1] * 8,
    "tokenizer.ggml.merges": ["a b", "1 2", "Ġ a"],
    "tokenizer.ggml.eos_token_id": 0,
    "llama.context_length": 2048,
}


def tokens_of(text: str, **changes: Any) -> list[str]:
    metadata = {**METADATA, **{f"tokenizer.ggml.{key}": value for key, value in changes.items()}}
    return list(build_tokenizer(metadata).encode(text).tokens)


def test_merges_apply_and_spaces_belong_to_the_next_word() -> None:
    assert tokens_of("ab a") == ["ab", "Ġa"]


def test_digits_stand_alone_only_where_the_file_says_smollm() -> None:
    assert tokens_of("12") == ["1", "2"]
    assert tokens_of("12", pre="gpt-2") == ["12"]


def test_added_tokens_are_found_whole_and_only_control_tokens_are_special() -> None:
    tokenizer = build_tokenizer(METADATA)

    ids = tokenizer.encode("a<user>b<|end|>").ids

    assert ids == [2, 1, 3, 0]
    assert tokenizer.decode(ids) == "a<user>b"


def test_ids_decode_to_the_text_they_came_from() -> None:
    tokenizer = build_tokenizer(METADATA)

    assert tokenizer.decode(tokenizer.encode("ab 12 a").ids) == "ab 12 a"


@pytest.mark.parametrize("change", [{"model": "llama"}, {"pre": "qwen2"}])
def test_an_unknown_tokenizer_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(ConversionFailed, match="unknown tokenizer"):
        tokens_of("a", **change)


def test_a_merge_of_tokens_that_do_not_exist_is_refused() -> None:
    with pytest.raises(ConversionFailed, match="merges 'a' and 'z'"):
        tokens_of("a", merges=["a z"])


def test_the_settings_name_the_special_tokens_by_text() -> None:
    settings = tokenizer_config(METADATA)

    assert settings["eos_token"] == "<|end|>"
    assert "bos_token" not in settings
    assert settings["model_max_length"] == 2048
