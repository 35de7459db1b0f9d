"""Compiled grammars for tests: over single bytes, the smallest tokenizer there is."""

import os
import random
from collections.abc import Callable

import numpy as np
import pytest

from inference.constraint import Constraint, GrammarNotEnforced
from inference.engine.grammar.bindings import load_bindings
from inference.engine.grammar.compiler import GrammarCompiler
from inference.engine.grammar.matcher import CompiledGrammar, GrammarMatcher
from inference.text.grammar.source import write_grammar

STOP = 256
VOCAB = 259  # two ids of padding, and no multiple of 32

# What ends a string, a list, an object or the answer: taken more often, so that walks end.
CLOSERS = frozenset([STOP, *b'"}]'])
MAX_WALK = 600  # bytes

CompileConstraint = Callable[[Constraint], CompiledGrammar]


@pytest.fixture(scope="session")
def xgrammar() -> None:
    """Skip a test that needs xgrammar where it is missing; on CI it fails."""
    missing = load_bindings()
    if isinstance(missing, GrammarNotEnforced):
        assert os.environ.get("MLXSITE_REQUIRE_ALL") != "1", missing.reason
        pytest.skip(missing.reason)


@pytest.fixture(scope="session")
def byte_compiler(xgrammar: None) -> GrammarCompiler:
    """A compiler whose token ids are bytes; 256 ends an answer."""
    return GrammarCompiler([bytes([b]) for b in range(256)] + [b""], frozenset({STOP}), VOCAB)


@pytest.fixture(scope="session")
def compile_constraint(byte_compiler: GrammarCompiler) -> CompileConstraint:
    """Return the compiled grammar of a constraint, over bytes."""

    def compile(constraint: Constraint) -> CompiledGrammar:
        source = write_grammar(constraint)
        assert not isinstance(source, GrammarNotEnforced), source.reason
        compiled = byte_compiler.compile(source.ebnf, is_callers=source.is_callers)
        assert isinstance(compiled, CompiledGrammar), compiled
        return compiled

    return compile


def verdict(compiled: CompiledGrammar, text: str | bytes) -> str:
    """Walk a text byte by byte: `complete`, `incomplete`, or where it was rejected."""
    matcher = compiled.matcher()
    octets = text.encode() if isinstance(text, str) else text
    for index, octet in enumerate(octets):
        if not matcher.accept(octet):
            return f"rejected at {index}"
    return "complete" if matcher.is_complete else "incomplete"


def allowed(matcher: GrammarMatcher) -> list[int]:
    """Return the bytes that may come next, and STOP if the text may end."""
    bits = np.unpackbits(matcher.mask.view(np.uint8)[0], bitorder="little")[:VOCAB]
    return np.flatnonzero(bits).tolist()


def random_walk(
    compiled: CompiledGrammar, numbers: random.Random, start: bytes = b""
) -> tuple[bytes, bool]:
    """Choose allowed bytes at random; return them, and whether they satisfy the grammar.

    start: what the walk begins with. A walk that does not end by itself is cut.
    """
    matcher, answer = compiled.matcher(), bytearray(start)
    assert all(matcher.accept(octet) for octet in start)
    while not matcher.is_done and len(answer) < MAX_WALK:
        tokens = allowed(matcher)
        closers = [token for token in tokens if token in CLOSERS]
        token = numbers.choice(closers if closers and numbers.random() < 0.4 else tokens)
        assert matcher.accept(token)
        if token == STOP:
            break
        answer.append(token)
    return bytes(answer), matcher.is_complete
