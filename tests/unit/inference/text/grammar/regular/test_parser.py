import pytest

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.determinize import whole_match


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\d\D\w\W\s\S", "1a_- x"),
        (r"[\d_][^\d]", "_x"),
        (r"a|b|", ""),
        (r"(?:ab)+?(?<year>c)(?P<z>d)*", "ababcdd"),
        (r"x{2}y{1,}z{0,2}", "xxyzz"),
        (r"\x41\u00e9\u{1F600}\ud83d\ude00", "Aé😀😀"),
        (r"\.\*\/\-[\]\\\b-\r]", ".*/-]"),
        (r"a{,5}{", "a{,5}{"),
        ("^(cat|dog)$", "dog"),
        ("日本[語人]", "日本人"),
        ("[a-]", "-"),
        ("[^]", "\n"),
        ("", ""),
    ],
)
def test_a_pattern_matches(pattern, text):
    assert whole_match(pattern).accepts(text)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("([", "a class without ], near character 2"),
        ("(a", "a group without ), near character 2"),
        ("a)", "unmatched ), near character 1"),
        ("*a", "a quantifier with nothing to repeat, near character 1"),
        ("a**", "a quantifier after a quantifier, near character 2"),
        ("a{3,1}", "a quantifier from 3 down to 1, near character 6"),
        ("[z-a]", "a range from z down to a, near character 4"),
        (r"[a-\d]", "a range of classes, near character 5"),
        ("(?=a)", "look-around or an inline flag, near character 1"),
        ("(?i)a", "look-around or an inline flag, near character 1"),
        (r"\bword", r"\b, near character 2"),
        (r"(a)\1", r"\1, near character 5"),
        (r"\p{Script=Greek}", r"\p, near character 2"),
        ("a^b", "^ away from the ends of an alternative, near character 1"),
        (r"\ud83d", "half a surrogate pair, near character 6"),
        ("a\\", "\\, near character 2"),
        ("(" * 60 + ")" * 60, "groups more than 50 deep, near character 51"),
    ],
)
def test_what_has_no_automaton_is_refused_with_its_place(pattern, problem):
    """Public case so-05: a regular expression with a fault."""
    with pytest.raises(NotExpressible) as caught:
        whole_match(pattern)

    assert str(caught.value) == f"regular expression: {problem}"


def test_a_long_pattern_is_refused_with_the_limit():
    with pytest.raises(NotExpressible, match="has 70,000 characters, more than 65,536"):
        whole_match("a" * 70_000)
