"""What is wrong with the structure of an article."""

import random

import pytest

from memory.article.article import Article
from memory.article.check import check
from tests.plugins.articles import make_article


def codes(text):
    return [(problem.code, problem.line) for problem in check(Article("X", text))]


def test_nothing_is_wrong_with_a_well_formed_article():
    rng = random.Random(3)

    assert [check(Article("X", make_article(rng, "X", ["A"]))) for _ in range(100)] == [[]] * 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("no-title", 0), ("no-lead", 0)]),
        ("# Y\n\nLead.\n", [("title", 1)]),
        ("# X\n\nLead.\n\n# Z\n", [("second-title", 5)]),
        ("# X\n\nLead.\n\n```info\n```\n", [("order", 1)]),
        ("# X\n\nLead.\n\n## References\n\n## More\n", [("section-order", 7)]),
        ("# X\n\nLead.\n\n## See also\n\n## See also\n", [("twice", 5), ("twice", 7)]),
        ("# X\n\nLead.\n\n#### Deep\n", [("depth", 5)]),
        ("# X\n\nLead.\n\n```\n", [("fence", 5)]),
        ("# X\n\n```info\na: 1\nA: 2\n```\n\nLead.\n", [("field-twice", 5)]),
        ("# X\n\n```info\nkind: x\n```\n\nLead.\n", [("kind", 4)]),
        ("# X\n\nLead[^1].\n\n[^2]: two\n", [("undefined", 3), ("uncited", 5)]),
        ("# X\n\nL[^1]\n\n[^1]: a\n[^1]: b\n", [("defined-twice", 5), ("defined-twice", 6)]),
        ("# X\n\n*Redirects to [[Y]]*\n", []),
    ],
)
def test_each_problem_is_named_with_its_line(text, expected):
    assert codes(text) == expected
