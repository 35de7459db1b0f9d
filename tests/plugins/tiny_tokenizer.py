"""Tiny tokenizers on disk, with a chat template of the test's choice."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    pre_tokenizers,
    processors,
    trainers,
)

if TYPE_CHECKING:
    from inference.text.pretrained import PretrainedTokenizer

BOS, EOS = "<s>", "</s>"
_CORPUS = [
    "user assistant system model tool hello there, what is the answer? The answer is this.\n\n",
    "def f(x):\n    return x + 1\n\n\n<think>\n\n</think>\n\n- one\n- two\n\n  three.\n",
] * 4


@cache
def byte_tokenizer() -> str:
    """One token a byte; the first special token is 256."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE({piece: i for i, piece in enumerate(alphabet)}, []))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return str(backend.to_str())


@cache
def merging_tokenizer() -> str:
    """Byte-level BPE with merges of words, spaces and line breaks."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.train_from_iterator(
        _CORPUS,
        trainers.BpeTrainer(
            vocab_size=450,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return str(backend.to_str())


@cache
def spaced_tokenizer() -> str:
    """As SentencePiece does: no words, `▁` for a space, and one before every text."""
    words = ["▁", "▁▁", "e", "h", "l", "o", "he", "▁he", "us", "u", "s", "er", "r", ">", "<"]
    vocab = {piece: i for i, piece in enumerate([*(f"<0x{b:02X}>" for b in range(256)), *words])}
    merges = [("▁", "▁"), ("h", "e"), ("▁", "he"), ("u", "s"), ("e", "r")]
    backend = Tokenizer(models.BPE(vocab, merges, byte_fallback=True))
    backend.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement="▁", prepend_scheme="first", split=False
    )
    backend.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(content=" ", left=1, right=0),
        ]
    )
    return str(backend.to_str())


@pytest.fixture
def load_tokenizer(tmp_path: Path) -> Callable[..., "PretrainedTokenizer"]:
    """Call with a template and one of the functions above; texts get `<s>` added.

    specials: further special tokens. config, generation: the model's files.
    """
    # A second, which tests without a tokenizer need not wait for.
    from transformers import PreTrainedTokenizerFast

    from inference.text.pretrained import PretrainedTokenizer

    def load(
        template: str | None,
        make: Callable[[], str] = byte_tokenizer,
        *,
        specials: Iterable[str] = (),
        config: dict[str, object] | None = None,
        generation: dict[str, object] | None = None,
    ) -> "PretrainedTokenizer":
        backend = Tokenizer.from_str(make())
        backend.add_special_tokens([AddedToken(name) for name in (BOS, EOS, *specials)])
        backend.post_processor = processors.TemplateProcessing(
            single=f"{BOS} $A", special_tokens=[(BOS, backend.token_to_id(BOS))]
        )
        tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, bos_token=BOS, eos_token=EOS)
        tokenizer.chat_template = template
        tokenizer.save_pretrained(tmp_path)
        return PretrainedTokenizer(tmp_path, config or {}, generation or {})

    return load
