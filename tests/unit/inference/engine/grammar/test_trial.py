import pytest

from inference.constraint import Ebnf
from inference.engine.grammar import trial
from inference.engine.grammar.trial import try_out


@pytest.mark.parametrize("grammar", ["root ::= [a-z]+", 'root ::= "x"', 'root ::= "a" root | "b"'])
def test_a_grammar_of_quick_steps_passes(compile_constraint, grammar):
    assert try_out(compile_constraint(Ebnf(grammar))) is None


def test_a_grammar_of_slow_steps_is_refused_with_the_limit(compile_constraint, monkeypatch):
    compiled = compile_constraint(Ebnf("root ::= [a-z]+"))
    monkeypatch.setattr(trial, "_SLOW_SECONDS", -1.0)

    assert try_out(compiled).reason.startswith("steps through the grammar take longer than")


def test_steps_that_are_slow_together_are_refused(compile_constraint, monkeypatch):
    compiled = compile_constraint(Ebnf("root ::= [a-z]+"))
    monkeypatch.setattr(trial, "_MAX_SECONDS", 0.0)

    assert try_out(compiled) is not None


def test_a_few_slow_steps_are_forgiven(compile_constraint, monkeypatch):
    compiled = compile_constraint(Ebnf('root ::= "ab"'))
    monkeypatch.setattr(trial, "_SLOW_SECONDS", -1.0)

    assert try_out(compiled) is None
