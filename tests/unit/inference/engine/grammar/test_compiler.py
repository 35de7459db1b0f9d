import threading
import time

import numpy as np
import pytest

from inference.constraint import Choice, GrammarNotEnforced, JsonSchema, Regex
from inference.engine.grammar import compiler as compiler_module
from inference.engine.grammar.compiler import CompilerLimits, GrammarCompiler
from inference.engine.grammar.matcher import CompiledGrammar
from inference.text.grammar.source import write_grammar
from tests.plugins.grammar import verdict

BYTES = [bytes([b]) for b in range(256)]
STOP = 256
DIGITS = "root ::= [0-9]+"


def make(tokens=(*BYTES, b""), vocab_size=257, **keywords):
    return GrammarCompiler(tokens, frozenset({STOP}), vocab_size, **keywords)


@pytest.fixture
def stalled(xgrammar, monkeypatch):
    """Hold every compilation back until the event is set."""
    go = threading.Event()
    compile = GrammarCompiler._compile

    def wait(self, *arguments):
        assert go.wait(20)
        return compile(self, *arguments)

    monkeypatch.setattr(GrammarCompiler, "_compile", wait)
    yield go
    go.set()


def test_a_grammar_is_compiled_once(xgrammar):
    compiler = make()

    assert compiler.compile(DIGITS) is compiler.compile(DIGITS)
    assert compiler.compile(DIGITS) is not compiler.compile(DIGITS, is_callers=True)


def test_requests_for_one_grammar_share_its_compilation(stalled):
    compiler = make()
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(compiler.compile(DIGITS))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    stalled.set()
    for thread in threads:
        thread.join(20)

    assert len(found) == 4
    assert len(set(map(id, found))) == 1


def test_the_wait_for_a_grammar_has_an_end(stalled):
    compiler = make(limits=CompilerLimits(seconds=0.05))

    assert compiler.compile(DIGITS) == GrammarNotEnforced(
        "compiling takes more than 0.05 s; make the grammar smaller"
    )


def test_a_grammar_that_came_too_late_serves_the_next_request(stalled):
    compiler = make(limits=CompilerLimits(seconds=0.05))
    compiler.compile(DIGITS)

    stalled.set()
    deadline = time.monotonic() + 20
    while not isinstance(found := compiler.compile(DIGITS), CompiledGrammar):
        assert time.monotonic() < deadline

    assert verdict(found, "12") == "complete"


def test_only_so_many_grammars_are_under_way(stalled):
    compiler = make(limits=CompilerLimits(seconds=0.01, waiting=2))
    compiler.compile("root ::= [0-9]")
    compiler.compile("root ::= [0-8]")

    assert compiler.compile("root ::= [0-7]") == GrammarNotEnforced(
        "2 other grammars are being compiled; try again later"
    )


def test_callers_grammars_do_not_hold_up_ours(xgrammar, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(compiler_module, "try_out", lambda compiled: go.wait(20) and None)
    compiler = make(limits=CompilerLimits(seconds=0.01, running=1, waiting=1))
    compiler.compile("root ::= [0-9]", is_callers=True)
    compiler._limits = CompilerLimits(waiting=1)

    assert isinstance(compiler.compile(DIGITS), CompiledGrammar)
    go.set()


def test_grammars_are_dropped_when_memory_is_short(xgrammar):
    compiler = make(limits=CompilerLimits(cache_bytes=1))
    first = compiler.compile(DIGITS)

    compiler.compile("root ::= [a-z]+")

    assert compiler.compile(DIGITS) is not first


def test_a_grammar_in_use_is_kept_over_an_older_one(xgrammar):
    compiler = make()
    old, used = compiler.compile("root ::= [0-8]+"), compiler.compile(DIGITS)
    compiler.compile("root ::= [0-8]+")
    room = old.nbytes + used.nbytes
    compiler._limits = CompilerLimits(cache_bytes=room)

    compiler.compile("root ::= [0-7]+")

    assert compiler.compile("root ::= [0-8]+") is old
    assert compiler.compile(DIGITS) is not used


def test_a_disabled_compiler_says_why():
    compiler = make(disabled="grammar compilation disabled by MLXSITE_GRAMMAR=0")

    assert compiler.compile(DIGITS) == GrammarNotEnforced(
        "grammar compilation disabled by MLXSITE_GRAMMAR=0"
    )


def test_a_missing_library_is_told(monkeypatch):
    missing = GrammarNotEnforced("xgrammar is not installed")
    monkeypatch.setattr(compiler_module, "load_bindings", lambda: missing)

    assert make().compile(DIGITS) == missing


def test_an_unforeseen_fault_is_told_and_logged(xgrammar, monkeypatch, caplog):
    def fail(*arguments):
        raise MemoryError

    monkeypatch.setattr(GrammarCompiler, "_compile", fail)

    assert make().compile(DIGITS) == GrammarNotEnforced("the compiler failed")
    assert "a grammar could not be compiled" in caplog.text


@pytest.mark.parametrize(
    ("ebnf", "sentence"),
    [
        (
            "root ::= missing",
            'EBNF parser error at line 1, column 10: Rule "missing" is not defined',
        ),
        (
            'rule ::= "x"',
            'EBNF parser error at line 1, column 1: The root rule with name "root" is not found',
        ),
        ('root ::= ("a"', "EBNF parser error at line 1, column 14: Expect )"),
        ('root ::= root "a"', "no text in this model's tokens satisfies the grammar"),
        ("root ::= \ud83d", "surrogates not allowed"),
    ],
)
def test_a_fault_in_a_grammar_is_told_without_the_librarys_places(xgrammar, ebnf, sentence):
    """Public case so-05: a grammar with a fault."""
    found = make().compile(ebnf, is_callers=True)

    assert isinstance(found, GrammarNotEnforced)
    assert found.reason.endswith(sentence)
    assert "/" not in found.reason


def test_a_callers_grammar_is_tried_out_and_one_of_ours_is_not(xgrammar, monkeypatch):
    refused = GrammarNotEnforced("too slow")
    monkeypatch.setattr(compiler_module, "try_out", lambda compiled: refused)

    assert make().compile(DIGITS, is_callers=True) == refused
    assert isinstance(make().compile(DIGITS), CompiledGrammar)


@pytest.mark.parametrize(
    "ebnf",
    ["root ::= " + "(" * 20_000 + '"x"' + ")" * 20_000, "root ::= [a-z]{1,1000000}"],
)
def test_a_hostile_grammar_does_no_harm(xgrammar, ebnf):
    started = time.monotonic()

    make().compile(ebnf, is_callers=True)

    assert time.monotonic() - started < 20


def test_a_long_list_of_choices_is_enforced(xgrammar):
    source = write_grammar(Choice(tuple(f"choice number {n} of many" for n in range(10_000))))

    compiled = make().compile(source.ebnf)

    assert verdict(compiled, "choice number 9999 of many") == "complete"
    assert verdict(compiled, "choice number 10000") == "rejected at 18"


def test_special_tokens_are_not_allowed_inside_strings(xgrammar):
    # Ids 257 and 258 are special tokens, which have no bytes; only 256 ends an answer.
    compiler = make((*BYTES, b"", b"", b""), 259)
    matcher = compiler.compile(write_grammar(JsonSchema({"type": "string"})).ebnf).matcher()

    matcher.accept(ord('"'))

    bits = np.unpackbits(matcher.mask.view(np.uint8)[0], bitorder="little")
    assert bits[ord("a")] == 1
    assert list(bits[256:259]) == [0, 0, 0]


def test_logits_narrower_than_the_tokenizer_cut_its_tokens(xgrammar):
    compiler = GrammarCompiler(BYTES, frozenset({0, 300}), 100)

    compiled = compiler.compile(DIGITS)

    assert compiled.matcher().mask.shape == (1, 4)
    assert verdict(compiled, "12") == "complete"


def test_a_space_that_is_never_shown_may_come_first(xgrammar):
    source = write_grammar(Choice(("yes", "no")))

    lenient = make(strips_leading_space=True).compile(source.ebnf)
    strict = make().compile(source.ebnf)

    assert verdict(lenient, " yes") == verdict(lenient, "yes") == "complete"
    assert verdict(strict, " yes") == "rejected at 0"


def test_every_stop_token_may_end_an_answer(xgrammar):
    compiler = GrammarCompiler([*BYTES, b"", b""], frozenset({256, 257}), 258)
    compiled = compiler.compile(write_grammar(Regex("a")).ebnf)

    for stop in (256, 257):
        matcher = compiled.matcher()
        matcher.accept(ord("a"))
        assert matcher.is_done
        assert matcher.accept(stop)
