"""The bytes behind each token: what we assemble is what transformers decodes."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from inference.text.detokenizer import Detokenizer
from inference.text.token_bytes import token_bytes_of

WORDS = ["▁", "▁▁", "▁the", "fox", "s", "é", "▁中文", "😀", "!"]


def wrap(backend, specials=("<s>", "</s>")):
    """A transformers tokenizer around `backend`, with special tokens and one added word."""
    backend.add_special_tokens([AddedToken(name, special=True) for name in specials])
    backend.add_tokens([AddedToken("<think>", special=False)])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token=specials[0],
        eos_token=specials[1],
        clean_up_tokenization_spaces=False,
    )


def byte_level():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", "h"), ("h", "e"), ("ð", "Ł"), ("Ċ", "Ċ")]
    vocab = [*alphabet, *("".join(pair) for pair in merges)]
    backend = Tokenizer(models.BPE({piece: i for i, piece in enumerate(vocab)}, merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return wrap(backend)


def sentencepiece(decoder, *, byte_fallback=True):
    pieces = [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = {piece: i for i, piece in enumerate([*pieces, *WORDS])}
    backend = Tokenizer(models.BPE(vocab, [], byte_fallback=byte_fallback))
    backend.decoder = decoder
    return wrap(backend)


def llama(*, strip):
    """Llama 2's decoder, and with `strip` off Gemma's."""
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    if strip:
        parts.append(decoders.Strip(content=" ", left=1, right=0))
    return decoders.Sequence(parts)


TOKENIZERS = {
    "byte level": byte_level(),
    "Llama": sentencepiece(llama(strip=True)),
    "Gemma": sentencepiece(llama(strip=False)),
    **{
        f"Metaspace {scheme}": sentencepiece(
            decoders.Metaspace(replacement="▁", prepend_scheme=scheme)
        )
        for scheme in ("always", "first", "never")
    },
    "Metaspace after bytes": sentencepiece(
        decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="first")])
    ),
}


def assembled(tokenizer, ids):
    table, strips = token_bytes_of(tokenizer)
    detokenizer = Detokenizer(table, strips_leading_space=strips)
    return "".join([*(detokenizer.add([index]) for index in ids), detokenizer.finish()])


def decoded(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def any_id(tokenizer):
    """Any token, half of the time one that is no single byte."""
    size = len(tokenizer)
    return st.integers(0, size - 1) | st.integers(256, size - 1)


def starts_with(tokenizer, ids, *pieces):
    special = set(tokenizer.all_special_ids)
    shown = [index for index in ids if index not in special]
    return shown[:1] and tokenizer.convert_ids_to_tokens(shown[0]) in pieces


@pytest.mark.parametrize("name", TOKENIZERS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_random_ids_read_as_transformers_decodes_them(name, data):
    tokenizer = TOKENIZERS[name]
    ids = data.draw(st.lists(any_id(tokenizer), max_size=20))
    expected = decoded(tokenizer, ids)
    if name != "byte level":
        # For invalid bytes, SentencePiece decoders write U+FFFD for each byte of the whole
        # run, valid characters in it included; we replace what is invalid, and only that.
        assume("\ufffd" not in expected)
    if name.startswith("Metaspace"):
        # Metaspace drops every marker of the first token; no tokenizer begins a text so.
        assume(not starts_with(tokenizer, ids, "▁▁", "<0x20>"))

    assert assembled(tokenizer, ids) == expected


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=st.text(max_size=12))
@settings(max_examples=60, deadline=None)
def test_bytes_of_valid_text_read_as_that_text(name, text):
    tokenizer = TOKENIZERS[name]
    vocab = tokenizer.get_vocab()
    if name.startswith("Metaspace"):
        text = text.lstrip(" ")  # it strips a marker, not a byte
    if name == "byte level":
        ids = tokenizer.encode(text, add_special_tokens=False)
    else:
        ids = [vocab[f"<0x{byte:02X}>"] for byte in text.encode()]

    assert assembled(tokenizer, ids) == decoded(tokenizer, ids)


def test_the_marker_of_a_byte_level_vocabulary_is_a_real_space():
    # Public case st-08.
    vocab = {"Ġhello": 0, "Ġworld": 1, "Ċ": 2, "Ġx": 3}
    backend = Tokenizer(models.BPE(vocab, []))
    backend.decoder = decoders.ByteLevel()

    text = assembled(wrap(backend), [0, 1, 2, 3])

    assert text == " hello world\n x"


@pytest.mark.parametrize("name", TOKENIZERS)
def test_special_tokens_show_nothing_and_added_words_themselves(name):
    tokenizer = TOKENIZERS[name]
    table, _strips = token_bytes_of(tokenizer)

    assert table[tokenizer.bos_token_id] == table[tokenizer.eos_token_id] == b""
    assert table[tokenizer.convert_tokens_to_ids("<think>")] == b"<think>"


@pytest.mark.starter
def test_the_starter_models_tokens_read_as_transformers_decodes_them(starter_model):
    tokenizer = AutoTokenizer.from_pretrained(starter_model, local_files_only=True)

    @given(st.lists(st.integers(0, len(tokenizer) - 1), max_size=30))
    @settings(max_examples=50, deadline=None)
    def check(ids):
        table, strips = tables
        detokenizer = Detokenizer(table, strips_leading_space=strips)
        pieces = [*(detokenizer.add([index]) for index in ids), detokenizer.finish()]
        assert "".join(pieces) == decoded(tokenizer, ids)

    tables = token_bytes_of(tokenizer)
    check()
