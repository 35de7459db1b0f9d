"""Edits change the lines they name and no other byte."""

import random

import pytest

from memory.article.article import Article
from memory.article.edits import (
    NoSuchSection,
    add_section,
    extend_see_also,
    rebuild_see_also,
    replace_lead,
    replace_section,
    set_categories,
    set_infobox_field,
)
from memory.article.footnote_edits import add_footnote, renumber
from memory.article.footnotes import Citation
from tests.plugins.articles import make_article

CITATION = Citation("0a1b2c3d", "2026-01-02", "chat", "as it\nwas said")
TEXT = """\
# X

```info
kind: thing
size:  large
```

Lead.

## One

Old.

### Below

Deep.

## Two

Kept.

## References

[^1]: source
"""


@pytest.fixture
def article():
    return Article("X", TEXT)


def test_a_section_is_replaced_with_what_is_below_it(article):
    edited = replace_section(article, "one", "New.")

    assert edited.text == TEXT.replace("Old.\n\n### Below\n\nDeep.", "New.")


def test_a_section_that_is_not_there_cannot_be_replaced(article):
    with pytest.raises(NoSuchSection):
        replace_section(article, "three", "New.")


def test_the_last_section_can_be_replaced_where_no_line_end_follows():
    edited = replace_section(Article("X", "# X\n\n## One"), "one", "New.")

    assert edited.text == "# X\n\n## One\n\nNew.\n"


def test_the_lead_is_replaced_or_put_where_it_belongs(article):
    assert replace_lead(article, "Other.").text == TEXT.replace("Lead.", "Other.")
    assert replace_lead(Article("X", "# X\n## One\n"), "Lead.").text == "# X\n\nLead.\n\n## One\n"


def test_a_field_is_set_added_and_taken_out(article):
    assert set_infobox_field(article, "Size", "small").text == TEXT.replace(
        "size:  large", "size: small"
    )
    assert set_infobox_field(article, "born", "2020\n01").text == TEXT.replace(
        "large\n", "large\nborn: 2020 01\n"
    )
    assert set_infobox_field(article, "size", None).text == TEXT.replace("size:  large\n", "")
    assert set_infobox_field(article, "size", "large") == article
    assert set_infobox_field(article, "none", None) == article


def test_an_infobox_is_made_below_the_title():
    edited = set_infobox_field(Article("X", "# X\n\nLead.\n"), "kind", "person")

    assert edited.text == "# X\n\n```info\nkind: person\n```\n\nLead.\n"


def test_see_also_is_made_changed_and_removed(article):
    made = rebuild_see_also(article, ["A", "B", "A"])
    assert made.text == TEXT.replace(
        "## References", "## See also\n\n- [[A]]\n- [[B]]\n\n## References"
    )
    assert rebuild_see_also(made, ["A", "B"]) == made
    assert rebuild_see_also(made, ["C"]).text == made.text.replace("- [[A]]\n- [[B]]", "- [[C]]")
    assert rebuild_see_also(made, []) == article
    assert rebuild_see_also(article, []) == article


def test_a_new_section_stands_before_those_that_come_last(article):
    edited = add_section(article, "Three", "Text.\n")

    assert edited.text == TEXT.replace("## References", "## Three\n\nText.\n\n## References")


def test_a_footnote_is_defined_below_references(article):
    edited, label = add_footnote(article, CITATION)

    assert label == "2"
    assert edited.text == f"{TEXT}[^2]: `conv:0a1b2c3d` (2026-01-02, chat) — as it was said\n"
    assert edited.footnotes.definitions[1].citation.text == "as it was said"


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("# X\n\nLead.", "# X\n\nLead.\n\n## References\n\n[^1]: "),
        ("# X\n\n## References\n\n", "# X\n\n## References\n\n[^1]: "),
    ],
)
def test_references_are_made_for_the_first_footnote(text, begin):
    edited, _ = add_footnote(Article("X", text), CITATION)

    assert edited.text.startswith(begin)
    assert [d.label for d in edited.footnotes.definitions] == ["1"]


def test_footnotes_are_numbered_in_the_order_of_the_text():
    head = "# X\n\nb[^b] a[^7], b[^b] `[^7]`\n\n## References\n\n"
    text = f"{head}[^7]: seven\n[^b]: bee\n    more\n[^z]: z"

    edited = renumber(Article("X", text))

    assert edited.text == (
        "# X\n\nb[^1] a[^2], b[^1] `[^7]`\n\n## References\n\n"
        "[^1]: bee\n    more\n[^2]: seven\n[^3]: z"
    )
    assert renumber(edited) == edited


def test_footnotes_that_are_ambiguous_keep_their_numbers():
    article = Article("X", "# X\n\na[^2] b[^9]\n\n[^2]: one\n[^2]: two\n")

    assert renumber(article) == article


def test_what_is_put_in_ends_its_lines_as_the_article_does():
    edited = replace_section(Article("X", TEXT.replace("\n", "\r\n")), "two", "a\nb")

    assert edited.text == TEXT.replace("Kept.", "a\nb").replace("\n", "\r\n")


def test_edits_of_many_articles_leave_all_other_lines_alone():
    rng = random.Random(7)
    for number in range(300):
        before = Article("X", make_article(rng, "X", ["A", "B"]))
        after, label = add_footnote(before, CITATION)
        assert after.text.startswith(before.text) and label == "2"
        for section in (s for s in before.sections if s.kind == "section"):
            edited = replace_section(before, section.title, f"New {number}.")
            lines, old = edited.source.lines, before.source.lines
            assert lines[: section.first] == old[: section.first]
            assert lines[len(lines) - (len(old) - section.last) :] == old[section.last :]


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ("- [[A]]\n", "- [[A]]\n- [[B]]\n"),
        ("- [[A]]", "- [[A]]\n- [[B]]\n"),
        ("* [[A]] and why\n\n\n## Notes\n", "* [[A]] and why\n- [[B]]\n\n\n## Notes\n"),
        ("Prose.\n", "Prose.\n\n- [[B]]\n"),
        ("- [[A]]\n\n### Books\n\n- x\n", "- [[A]]\n- [[B]]\n\n### Books\n\n- x\n"),
        ("\n", "\n- [[B]]\n\n"),
    ],
)
def test_a_see_also_grows_and_all_that_it_says_stays(said, after):
    begin = "# X\n\nLead.\n\n## See also\n"

    assert extend_see_also(Article("X", begin + said), ["B"]).text == begin + after
    assert extend_see_also(Article("X", begin + said), []).text == begin + said


def test_a_footnote_goes_behind_the_others_and_above_what_else_stands_there(article):
    edited, _ = add_footnote(Article("X", TEXT + "\n```\nnot closed\n"), CITATION)

    assert [d.label for d in edited.footnotes.definitions] == ["1", "2"]
    assert edited.text.endswith("\n\n```\nnot closed\n")


def test_categories_stand_below_the_lead_and_are_changed_where_they_are(article):
    first = set_categories(article, ["A", "B b"])
    text = TEXT.replace("Lead.\n", "Lead.\n\ncategories: [[Category:A]], [[Category:B b]]\n")

    assert first.text == text
    assert set_categories(first, ["A", "B b"]).text == text
    assert set_categories(first, ["C"]).text == text.replace(
        "[[Category:A]], [[Category:B b]]", "[[Category:C]]"
    )
    assert set_categories(Article("X", "# X\n"), ["A"]).text == "# X\n"
    assert (
        set_categories(Article("X", "Lead."), ["A"]).text == "Lead.\n\ncategories: [[Category:A]]\n"
    )
