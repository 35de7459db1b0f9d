import pytest

from inference.constraint import AnyJson, Choice, Ebnf, JsonSchema, Regex
from inference.text.grammar.instruction import instruction


@pytest.mark.parametrize(
    ("constraint", "shown"),
    [
        (JsonSchema({"type": "object", "title": "größe"}), '{"type": "object", "title": "größe"}'),
        (Ebnf('root ::= "x"'), 'root ::= "x"'),
        (Regex("[0-9]{4}"), "[0-9]{4}"),
        (Choice(("yes", "no\n")), '["yes", "no\\n"]'),
    ],
)
def test_a_constraint_is_shown_to_the_model(constraint, shown):
    assert instruction(constraint).endswith(f"\n\n{shown}")


def test_any_json_needs_only_a_sentence():
    assert instruction(AnyJson()).startswith("Answer with one JSON value")


def test_what_would_fill_the_context_is_not_shown():
    text = instruction(Ebnf("x" * 16_001))

    assert "x" * 100 not in text
    assert "grammar" in text
