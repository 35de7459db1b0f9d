"""What each scanner finds in a text, and what it passes over as code."""

import pytest

from memory.article.article import Article
from memory.article.headings import slugify
from memory.article.infobox import EntityKind, FieldKind
from memory.article.lines import split_lines

WHOLE = """\
# Ada Lovelace

*Part of a series on [[Computing#History]].*

```info
kind: person
type: Mathematician
aliases: Ada, Countess of Lovelace
born: 1815-12-10
field: [[Mathematics]]
known for: notes; a program
```

She wrote the first program.[^1]
It was never run, says [[Charles_Babbage|Babbage]].

categories: [[Category:People]], [[Category:Computing]], [[Category:People]]

## Work

*Main article: [[Analytical_Engine]]*

### Notes on the engine

See [[#Work]] and `[[Not_A_Link]]`.

```python
# no heading
[[Nor_This]] [^5]
```

## See also

- [[Analytical_Engine]]

## References

[^1]: `conv:0a1b2c3d` (2026-01-02, chat) — She said so.
    And once more.
"""


@pytest.fixture
def article():
    return Article("Ada_Lovelace", WHOLE)


def test_an_article_has_its_blocks_in_order(article):
    found = [(b.kind, b.first, b.last, b.title, b.depth) for b in article.blocks]

    assert found == [
        ("h1", 1, 1, "Ada Lovelace", 1),
        ("series", 3, 3, None, None),
        ("infobox", 5, 12, None, None),
        ("lead", 14, 15, None, None),
        ("section", 19, 31, "Work", 2),
        ("section", 23, 31, "Notes on the engine", 3),
        ("see-also", 32, 35, "See also", 2),
        ("references", 36, 39, "References", 2),
    ]


def test_the_header_says_what_the_article_is_about(article):
    infobox = article.infobox

    assert (article.title, article.series, article.redirect) == ("Ada Lovelace", "Computing", None)
    assert (infobox.type, infobox.entity_kind) == ("Mathematician", EntityKind.PERSON)
    assert infobox.aliases == ["Ada", "Countess of Lovelace"]
    assert article.categories == ("People", "Computing")
    assert article.lead.startswith("She wrote") and article.lead.endswith(
        "[[Charles_Babbage|Babbage]]."
    )


def test_the_kind_of_a_fact_follows_from_its_spelling(article):
    facts = {fact.key: (fact.kind, bool(fact.links)) for fact in article.infobox.facts}

    assert facts == {
        "aliases": (FieldKind.LIST, False),
        "born": (FieldKind.DATE, False),
        "field": (FieldKind.ENTITY_LINK, True),
        "known for": (FieldKind.LIST, False),
    }


@pytest.mark.parametrize("value", ["2026", "2026-13", "2026-1-2", "2026-02-30x", "in 2026-02"])
def test_what_is_no_date_is_a_plain_value(value):
    article = Article("X", f"# X\n\n```info\nsince: {value}\n```\n")

    assert article.infobox.facts[0].kind == FieldKind.SCALAR


@pytest.mark.parametrize("kind", ["planet", ""])
def test_a_kind_nobody_knows_means_a_thing(kind):
    article = Article("X", f"# X\n\n```info\nkind: {kind}\n```\n")

    assert article.infobox.entity_kind == EntityKind.THING


def test_links_are_found_outside_of_code(article):
    found = [(link.stem, link.anchor, link.shown) for link in article.links]

    assert found == [
        ("Computing", "History", "Computing"),
        ("Charles_Babbage", "", "Babbage"),
        ("Analytical_Engine", "", "Analytical Engine"),
        ("", "Work", "Work"),
        ("Analytical_Engine", "", "Analytical Engine"),
    ]
    assert str(article.links[1]) == "[[Charles_Babbage|Babbage]]"


def test_a_citation_is_read_as_it_is_written(article):
    footnotes = article.footnotes
    (definition,) = footnotes.definitions

    assert footnotes.is_bijection
    assert (definition.first, definition.last) == (38, 39)
    assert definition.citation.conversation == "0a1b2c3d"
    assert definition.citation.text == "She said so.\nAnd once more."
    assert str(definition.citation) == (
        "`conv:0a1b2c3d` (2026-01-02, chat) — She said so. And once more."
    )


def test_footnotes_that_do_not_pair_up_are_named():
    article = Article("X", "# X\n\nA[^a] b[^b] c[^b].\n\n[^b]: one\n[^b]: two\n[^c]: three\n")
    footnotes = article.footnotes

    assert (footnotes.undefined, footnotes.uncited, footnotes.repeated) == (["a"], ["c"], ["b"])
    assert not footnotes.is_bijection


def test_a_fence_that_is_never_closed_ends_before_the_next_heading():
    article = Article("X", "# X\n\nLead.\n\n```\ncode\n\n## Part\n\n[[Y]]\n")

    assert [s.title for s in article.sections] == ["Part"]
    assert [link.stem for link in article.links] == ["Y"]


def test_a_fence_that_runs_into_another_was_not_closed():
    text = "# X\n\n```info\nkind: thing\n\nLead.\n\n## Part\n\n```python\nx\n```\n\n## More\n"

    assert [s.title for s in Article("X", text).sections] == ["Part", "More"]


def test_a_longer_fence_holds_shorter_ones():
    text = "# X\n\n````md\n```python\n## no\n```\n````\n\n~~~\n```\n## no\n~~~\n\n## Yes\n"

    assert [s.title for s in Article("X", text).sections] == ["Yes"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("##  Part one ## ", [(2, "Part one")]),
        ("   ## C#", [(2, "C#")]),
        ("####### seven", []),
        ("##none", []),
        ("    ## code", []),
        ("##", [(2, "")]),
    ],
)
def test_headings_are_read_as_commonmark_has_them(line, expected):
    found = Article("X", f"# X\n\n{line}\n").source.headings[1:]

    assert [(h.depth, h.title) for h in found] == expected


@pytest.mark.parametrize(
    ("title", "anchor"),
    [("History", "history"), ("What's new?", "whats-new"), ("Über_uns / 東京", "über_uns--東京")],
)
def test_anchors_are_made_of_titles(title, anchor):
    assert slugify(title) == anchor


def test_a_section_is_found_by_title_and_by_anchor(article):
    assert article.section("Notes on the engine") == article.section("#notes-on-the-engine")
    assert article.section("nothing") is None
    assert article.section_at(25).title == "Notes on the engine"
    assert article.section_at(3) is None


def test_a_byte_order_mark_and_windows_line_ends_hide_nothing():
    article = Article("X", "\ufeff# X\r\n\r\n```info\r\nkind: person\r\n```\r\n\r\nLead.\r\n")

    assert article.title == "X"
    assert article.infobox.entity_kind == EntityKind.PERSON
    assert article.lead == "Lead."


def test_only_a_line_feed_ends_a_line():
    text = "a\x0cb\x85c\u2028d\r\ne\rf"

    assert split_lines(text) == ["a\x0cb\x85c\u2028d\r\n", "e\rf"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [("*Redirects to [[Y]]*", "redirect"), ("{{stub}}", "stub"), ("*Main article: [[Y]]*", "main")],
)
def test_templates_are_lines_of_their_own(line, kind):
    assert [t.kind for t in Article("X", f"# X\n\n{line}\n").templates] == [kind]
    assert Article("X", f"# X\n\nSee {line} here.\n`{line}`\n").templates == []
