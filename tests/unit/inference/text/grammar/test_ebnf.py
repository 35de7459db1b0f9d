import pytest

from inference.text.grammar.ebnf import (
    MAX_TEXT,
    NEVER,
    Alt,
    Grammar,
    OneOf,
    Ref,
    Rep,
    Seq,
    Text,
)
from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.char_set import CharSet


def written(**rules):
    grammar = Grammar()
    for name, expr in rules.items():
        grammar.define(name, expr)
    return grammar.write()


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Text('say "hi"\\'), r'"say \"hi\"\\"'),
        (Text("é\n\u200b\U000e0001"), r'"é\u000a\u200b\U000e0001"'),
        (Text(""), '""'),
        (OneOf(CharSet.chars("abc-]^")), r"[\u002d\u005d-\u005ea-c]"),
        (OneOf(CharSet.of([(0x20, 0x10FFFF)])), r"[\u0020-\ud7ff\ue000-\U0010ffff]"),
        (Alt((Text("a"), Seq((Text("b"), OneOf(CharSet.chars("xy")))))), '"a" | "b" [x-y]'),
        (Seq((Text("a"), Seq((Text("b"), Text(""))), Text("c"))), '"abc"'),
        (Seq((Alt((Text("a"), Text("b"))), Text("c"))), '("a" | "b") "c"'),
        (Rep(Text("ab"), 0, 1), '"ab"?'),
        (Rep(Text("ab"), 2, 3), '"ab"{2,3}'),
        (Rep(Text("ab"), 2), '"ab"{2,}'),
        (Rep(Seq((Text("a"), Rep(Text("b")))), 1), '("a" ("b"*))+'),
        (Rep(Text("ab"), 0, 0), '""'),
    ],
)
def test_an_expression_is_written(expr, text):
    assert written(root=expr) == f"root ::= {text}\n"


def test_rules_that_are_not_reached_are_left_out():
    assert written(other=Text("x"), root=Ref("used"), used=Text("y")) == (
        'root ::= used\nused ::= "y"\n'
    )


def test_options_that_never_end_are_left_out():
    endless = Seq((Text("["), Ref("endless")))

    text = written(root=Alt((Ref("endless"), Text("x"), OneOf(CharSet()))), endless=endless)

    assert text == 'root ::= "x"\n'


def test_what_may_be_absent_is_absent_if_it_never_ends():
    assert written(root=Seq((Text("a"), Rep(NEVER)))) == 'root ::= "a"\n'


@pytest.mark.parametrize("expr", [NEVER, Ref("root"), Rep(NEVER, 1), Seq((Text("a"), NEVER))])
def test_a_grammar_without_any_finite_text_is_refused(expr):
    with pytest.raises(NotExpressible, match="no finite text"):
        written(root=expr)


def test_a_grammar_that_is_too_long_is_refused_with_the_limit():
    with pytest.raises(NotExpressible, match=f"longer than {MAX_TEXT:,}"):
        written(root=Text("x" * MAX_TEXT))
