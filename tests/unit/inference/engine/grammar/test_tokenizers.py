"""Grammars over the vocabularies of real families: bytes, byte-level BPE, SentencePiece."""

import json
import random

import numpy as np
import pytest

from inference.constraint import AnyJson, Choice, JsonSchema, Regex
from inference.engine.grammar.compiler import GrammarCompiler
from inference.text.detokenizer import Detokenizer
from inference.text.grammar.source import write_grammar
from tests.plugins.tiny_tokenizer import byte_tokenizer, merging_tokenizer, spaced_tokenizer

PADDED = 1_001  # wider than any of them, and no multiple of 32
FAMILIES = [byte_tokenizer, merging_tokenizer, spaced_tokenizer]


@pytest.fixture(params=FAMILIES, ids=lambda family: family.__name__)
def tokenizer(request, load_tokenizer):
    return load_tokenizer("", request.param)


@pytest.fixture
def compile_for(xgrammar, tokenizer):
    compiler = GrammarCompiler(
        tokenizer.token_bytes,
        tokenizer.stop_token_ids,
        PADDED,
        strips_leading_space=tokenizer.strips_leading_space,
    )
    return lambda constraint: compiler.compile(write_grammar(constraint).ebnf)


def shown(tokenizer, token_ids):
    detokenizer = Detokenizer(
        tokenizer.token_bytes, strips_leading_space=tokenizer.strips_leading_space
    )
    return detokenizer.add(token_ids) + detokenizer.finish()


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (AnyJson(), '{"hello": ["there, what", {"is": "the answer"}], "x": -1.5e3}'),
        (AnyJson(), json.dumps({"er\n": "你好 😀 é"}, ensure_ascii=False, indent=2)),
        (JsonSchema({"enum": ["在线", "Офлайн"]}), '"Офлайн"'),
        (Choice(("hello", "hello there", "😀")), "hello there"),
        (Choice(("hello", "hello there", "😀")), "😀"),
        (Regex("[あ-ん]+ (user|us)er?"), "あい user"),
    ],
)
def test_text_is_accepted_however_it_is_cut_into_tokens(tokenizer, compile_for, constraint, text):
    matcher = compile_for(constraint).matcher()

    for token in tokenizer.encode(text, add_special_tokens=False):
        assert matcher.accept(token)

    assert matcher.is_complete


def test_a_character_can_be_built_of_its_bytes(tokenizer, compile_for):
    matcher = compile_for(Choice(("é😀", "é😁"))).matcher()
    single = {octets: token for token, octets in enumerate(tokenizer.token_bytes) if octets}

    for octet in "é😁".encode():
        assert matcher.accept(single[bytes([octet])])

    assert matcher.is_done


def test_half_a_character_is_never_the_end(tokenizer, compile_for):
    matcher = compile_for(Choice(("é", "è"))).matcher()
    single = {octets: token for token, octets in enumerate(tokenizer.token_bytes) if octets}

    matcher.accept(single["é".encode()[:1]])

    assert not matcher.is_complete
    assert not any(matcher.accept(stop) for stop in tokenizer.stop_token_ids)


@pytest.mark.parametrize("seed", range(5))
def test_a_random_walk_shows_what_was_asked_for(tokenizer, compile_for, seed):
    schema = {
        "type": "object",
        "properties": {
            "word": {"type": "string", "maxLength": 12},
            "kind": {"enum": ["hello", "you é", 5]},
            "list": {"type": "array", "items": {"type": "boolean"}, "maxItems": 3},
        },
        "required": ["word", "kind", "list"],
    }
    numbers = random.Random(seed)
    matcher = compile_for(JsonSchema(schema)).matcher()
    token_ids = []

    while not matcher.is_done:
        bits = np.unpackbits(matcher.mask.view(np.uint8)[0], bitorder="little")
        token = numbers.choice(np.flatnonzero(bits[:PADDED]).tolist())
        assert matcher.accept(token)
        token_ids.append(token)

    value = json.loads(shown(tokenizer, token_ids))
    assert len(value["word"]) <= 12
    assert value["kind"] in ("hello", "you é", 5)
    assert all(isinstance(one, bool) for one in value["list"])
    assert max(token_ids) < len(tokenizer.token_bytes)
