"""Whatever the text is: nothing is lost, nothing is raised, and time grows with its length."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.article.article import Article
from memory.article.check import check
from memory.article.edits import extend_see_also, rebuild_see_also, set_infobox_field
from memory.article.footnote_edits import add_footnote, renumber
from memory.article.footnotes import Citation
from memory.links import links_of
from tests.plugins.articles import FLAWS, make_article, spoil

PIECES = st.lists(st.one_of(st.sampled_from([*FLAWS, "\n", "\r\n", "# X", "[[A|b]]"]), st.text()))


def scan(article):
    """Ask for everything that there is to ask."""
    check(article)
    facts = article.infobox.facts if article.infobox else []
    return (
        [(b.kind, b.first, b.last, b.title) for b in article.blocks],
        [(fact.key, fact.value, fact.kind) for fact in facts],
        [str(link) for link in article.links],
        (article.footnotes.cited, [d.citation for d in article.footnotes.definitions]),
        (article.categories, article.series, article.redirect, article.is_stub, article.lead),
    )


def assert_whole(article):
    assert article.render() == article.text == "".join(article.source.lines)
    assert scan(Article(article.stem, article.render())) == scan(article)
    count = len(article.source.lines)
    assert all(1 <= b.first <= b.last <= count for b in article.blocks)


def test_two_thousand_articles_come_back_as_they_were():
    rng = random.Random(11)
    for number in range(2000):
        text = make_article(rng, "X", ["A", "B"])
        assert_whole(Article("X", spoil(rng, text) if number % 2 else text))


@given(PIECES)
@settings(max_examples=150, deadline=None)
def test_any_text_comes_back_as_it_was(pieces):
    assert_whole(Article("X", "".join(pieces)))


@given(PIECES)
@settings(max_examples=100, deadline=None)
def test_edits_of_any_text_can_be_read_again(pieces):
    article = Article("X", "".join(pieces))

    assert_whole(renumber(article))
    assert_whole(rebuild_see_also(article, ["A"]))
    assert_whole(extend_see_also(article, ["A"]))
    assert_whole(set_infobox_field(article, "key", "value"))
    assert_whole(add_footnote(article, Citation("1", "2026-01-01", "chat"))[0])


HOSTILE = {
    "brackets": "[[" * 4,
    "open links": "[[aaaa",
    "markers": "[^a",
    "definitions": "[^a]: x\n",
    "backticks": "` `` ``` ",
    "one long line of hashes": "#",
    "headings": "# a\n###### b\n",
    "openers": "```x\n# a\n",
    "growing fences": "````x\n```\n# a\n~~~y\n",
    "spaces": "# a                 b",
    "stars": "*Main article: [[",
    "sections that may be there once": "## See also\n- [[A]]\n",
    "fields": "```info\nkind: x\n# a\n",
    "colons": ":::::",
    "line ends": "\n",
    "returns": "\r",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(name):
    def seconds(times):
        article = Article("X", HOSTILE[name] * times)
        begun = time.process_time()
        scan(article)
        renumber(article)
        links_of(article)
        [article.section_at(line) for line in range(1, 500)]
        return time.process_time() - begun

    small = min(seconds(500) for _ in range(2))
    large = min(seconds(4_000) for _ in range(2))

    assert large < 8 * 5 * max(small, 0.002), (small, large)
