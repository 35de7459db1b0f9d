"""GGUF metadata to a Hugging Face tokenizer: byte-level BPE only.

A GGUF file names its pre-tokenizer instead of describing it; the ones known here are in
`PRE_TOKENIZERS`, and any other is refused, since a wrong one gives wrong ids in silence.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

from hub.errors import ConversionFailed

CONTROL, USER_DEFINED = 3, 4  # GGUF token types


def _byte_level() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def _digits_then_byte_level() -> pre_tokenizers.PreTokenizer:
    digits = pre_tokenizers.Digits(individual_digits=True)
    return pre_tokenizers.Sequence([digits, _byte_level()])


PRE_TOKENIZERS: dict[str, Callable[[], pre_tokenizers.PreTokenizer]] = {
    "gpt-2": _byte_level,
    "smollm": _digits_then_byte_level,
}


def build_tokenizer(metadata: Mapping[str, Any]) -> Tokenizer:
    """Build the tokenizer; raises ConversionFailed for a kind that is not known here."""
    kind = metadata.get("tokenizer.ggml.model")
    pre = metadata.get("tokenizer.ggml.pre", "gpt-2")
    if kind != "gpt2" or pre not in PRE_TOKENIZERS:
        raise ConversionFailed(f"the GGUF file has an unknown tokenizer ({kind}, {pre})")
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    merges = [_pair(merge) for merge in metadata["tokenizer.ggml.merges"]]
    for left, right in merges:
        # tokenizers would raise a bare Exception
        if not {left, right, left + right} <= vocabulary.keys():
            raise ConversionFailed(f"the GGUF file merges {left!r} and {right!r}, no tokens of it")
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = PRE_TOKENIZERS[pre]()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    for token, token_type in zip(tokens, metadata["tokenizer.ggml.token_type"], strict=True):
        if token_type in (CONTROL, USER_DEFINED):
            added = AddedToken(token, special=token_type == CONTROL, normalized=False)
            tokenizer.add_tokens([added])
    return tokenizer


def tokenizer_config(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of `tokenizer_config.json`."""
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    settings = {
        # The generic class keeps tokenizer.json as it is; GPT-2's may rebuild its parts.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": metadata["llama.context_length"],
    }
    names = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}
    for ours, theirs in names.items():
        index = metadata.get(f"tokenizer.ggml.{theirs}_token_id")
        if index is not None:
            settings[f"{ours}_token"] = tokens[index]
    return settings


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right
