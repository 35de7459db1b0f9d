import time

import numpy as np
import pytest

from inference.constraint import Choice, Ebnf, JsonSchema, Regex
from inference.engine.grammar import matcher as matcher_module
from inference.engine.grammar.matcher import num_words
from tests.plugins.grammar import STOP, VOCAB


def allowed(matcher):
    row = np.empty(num_words(VOCAB), dtype=np.int32)
    matcher.fill(row)
    bits = np.unpackbits(row.view(np.uint8), bitorder="little")[:VOCAB]
    return {int(token) for token in np.flatnonzero(bits)}


def follow(matcher, text):
    for octet in text.encode():
        assert matcher.accept(octet)


def test_a_mask_allows_what_may_come_next(compile_constraint):
    matcher = compile_constraint(Choice(("yes", "no"))).matcher()

    assert allowed(matcher) == {ord("y"), ord("n")}


def test_a_token_that_is_not_allowed_moves_nothing(compile_constraint):
    matcher = compile_constraint(Choice(("yes", "no"))).matcher()

    assert not matcher.accept(ord("x"))
    assert allowed(matcher) == {ord("y"), ord("n")}


def test_an_answer_is_done_when_only_a_stop_token_can_follow(compile_constraint):
    matcher = compile_constraint(Regex("[0-9]{4}")).matcher()

    follow(matcher, "202")
    assert not matcher.is_done
    follow(matcher, "4")

    assert matcher.is_done
    assert matcher.is_complete
    assert allowed(matcher) == {STOP}


def test_an_answer_that_may_go_on_is_complete_and_not_done(compile_constraint):
    matcher = compile_constraint(Choice(("a", "ab", "abc"))).matcher()

    follow(matcher, "a")

    assert matcher.is_complete
    assert not matcher.is_done
    assert allowed(matcher) == {ord("b"), STOP}


def test_a_stop_token_ends_a_complete_answer(compile_constraint):
    matcher = compile_constraint(Choice(("a", "ab"))).matcher()
    follow(matcher, "a")

    assert matcher.accept(STOP)

    assert matcher.is_done
    assert matcher.is_complete
    assert not matcher.accept(ord("b"))


def test_a_stop_token_is_refused_in_the_middle(compile_constraint):
    matcher = compile_constraint(Regex("[0-9]{4}")).matcher()
    follow(matcher, "20")

    assert STOP not in allowed(matcher)
    assert not matcher.accept(STOP)


def test_an_empty_answer_is_done_at_once(compile_constraint):
    matcher = compile_constraint(Choice(("",))).matcher()

    assert matcher.is_done
    assert matcher.is_complete
    assert allowed(matcher) == {STOP}


def test_a_place_with_no_way_on_is_a_failure(compile_constraint):
    matcher = compile_constraint(Ebnf('root ::= "a" more\nmore ::= more "b"')).matcher()

    follow(matcher, "a")

    assert matcher.is_done
    assert matcher.is_stuck
    assert "no token" in matcher.failure


def test_steps_can_be_taken_back(compile_constraint):
    matcher = compile_constraint(Regex("[0-9]{2}x")).matcher()
    follow(matcher, "12x")

    matcher.rollback(2)

    assert not matcher.is_done
    assert allowed(matcher) == set(b"0123456789")


def test_a_fork_goes_its_own_way(compile_constraint):
    matcher = compile_constraint(Choice(("yes", "yet"))).matcher()
    follow(matcher, "ye")
    fork = matcher.fork()

    follow(fork, "s")

    assert fork.is_done
    assert allowed(matcher) == {ord("s"), ord("t")}


def test_sequences_follow_one_grammar_apart(compile_constraint):
    compiled = compile_constraint(JsonSchema({"enum": ["ab", "cd"]}))
    first, second = compiled.matcher(), compiled.matcher()

    follow(first, '"a')
    follow(second, '"c')

    assert (allowed(first), allowed(second)) == ({ord("b")}, {ord("d")})


def test_padding_is_never_allowed(compile_constraint):
    matcher = compile_constraint(Regex(r"[^\x00]*")).matcher()

    assert allowed(matcher) <= {*range(1, 256), STOP}
    assert not matcher.accept(VOCAB - 1)


def test_a_step_that_takes_too_long_is_a_failure(compile_constraint, monkeypatch):
    matcher = compile_constraint(Regex("[0-9]{4}")).matcher()
    monkeypatch.setattr(matcher_module, "MAX_STEP_SECONDS", -1.0)

    assert matcher.accept(ord("1"))

    assert "a step through the grammar took" in matcher.failure


def test_a_step_that_waits_for_a_busy_machine_is_none(compile_constraint, monkeypatch):
    matcher = compile_constraint(Regex("[0-9]{4}")).matcher()
    monkeypatch.setattr(matcher_module, "MAX_STEP_SECONDS", 0.1)
    look_ahead = matcher._look_ahead

    def wait_first():
        time.sleep(0.2)
        look_ahead()

    monkeypatch.setattr(matcher, "_look_ahead", wait_first)

    assert matcher.accept(ord("1"))

    assert matcher.failure is None


@pytest.mark.parametrize(("tokens", "words"), [(1, 1), (32, 1), (33, 2), (49_152, 1_536)])
def test_a_mask_has_a_bit_for_each_token(tokens, words):
    assert num_words(tokens) == words
