"""The form that all articles have."""

from memory.article.article import Article
from memory.synthesis.normalise import STUB_WORDS, normalise
from memory.synthesis.parts import INFOBOX, LEAD

WORDS = "word " * STUB_WORDS


def form(text, *owned):
    known = {"Borealis": "Borealis", "the_north": "Borealis", "Atlas": "Atlas"}
    return normalise(Article("Atlas", text), set(owned), known.get).text


def test_footnotes_are_numbered_in_the_order_of_the_text():
    text = f"# Atlas\n\nB.[^7] A.[^2] {WORDS}\n\n## References\n\n[^2]: a\n[^7]: b\n"

    assert "B.[^1] A.[^2]" in form(text, LEAD)
    assert "[^1]: b\n[^2]: a\n" in form(text, LEAD)


def test_links_get_the_names_of_their_articles_and_none_leads_to_its_own():
    text = f"# Atlas\n\n[[the_north]] and [[Atlas]] and [[Nowhere]] {WORDS}\n"

    assert "[[Borealis|the north]] and Atlas and [[Nowhere]]" in form(text, LEAD)


def test_links_of_a_person_s_part_stay():
    text = f"# Atlas\n\nlead {WORDS}\n\n## Mine\n\n[[the_north]]\n"

    assert "[[the_north]]" in form(text, LEAD)


def test_sections_that_end_an_article_come_last_and_history_before_them():
    text = (
        f"# Atlas\n\nlead {WORDS}\n\n## See also\n\n- [[Borealis]]\n\n## History\n\nOld.\n\n"
        "## Platform\n\nNew.\n"
    )

    assert [s.title for s in Article("Atlas", form(text, LEAD)).sections] == [
        "Platform",
        "History",
        "See also",
    ]


def test_a_short_article_is_a_stub_and_a_long_one_is_none():
    short = form("# Atlas\n\nA map.\n\n## Platform\n\nHope.\n", LEAD)

    assert short == "# Atlas\n\nA map.\n\n{{stub}}\n\n## Platform\n\nHope.\n"
    assert "{{stub}}" not in form(short.replace("Hope.", WORDS), LEAD)
    assert form(short, LEAD) == short


def test_fields_of_the_infobox_have_an_order():
    text = f"# Atlas\n\n```info\nowner: me\ntype: map\nkind: thing\n```\n\nlead {WORDS}\n"

    assert "kind: thing\ntype: map\nowner: me\n" in form(text, INFOBOX, LEAD)


def test_an_article_of_which_nothing_is_ours_stays():
    text = "No title [[the_north]]\n\n## See also\n\n## Mine\n"

    assert form(text) == text


def test_what_stands_below_a_second_title_stays_where_it_is():
    text = (
        f"# Atlas\n\nlead {WORDS}\n\n## History\n\nOld.\n\n## Platform\n\nNew.\n\n"
        "# Diary\n\nMy own words.\n\n## Trip\n\nWent.\n"
    )

    assert form(text, LEAD) == text


def test_a_section_moves_with_all_that_it_holds():
    text = (
        f"# Atlas\r\n\r\nlead {WORDS}\r\n\r\nMore.\r\n## History\r\n\r\n  Old.  \r\n\r\n\r\n"
        "- one\r\n\r\n### Deep\r\n\r\n```\r\ncode\r\n## Platform\r\n\r\nNew."
    )

    assert form(text, LEAD) == (
        f"# Atlas\r\n\r\nlead {WORDS}\r\n\r\nMore.\r\n\r\n## Platform\r\n\r\nNew.\r\n\r\n"
        "## History\r\n\r\n  Old.  \r\n\r\n\r\n- one\r\n\r\n### Deep\r\n\r\n```\r\ncode\r\n"
    )
