"""Which words are looked for, and what is shown of a line."""

import pytest

from memory.search import CUT, LONGEST_EXCERPT, MOST_TERMS, pages_in, search, split_terms


@pytest.fixture
def find(vault, settings):
    def call(query, limit=50):
        return search(pages_in(settings.CATALOG.snapshot(), "articles"), query, limit)

    return call


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What is the Lantern?", ("lantern",)),
        ("lantern LANTERN Lantern,", ("lantern",)),
        ("to be or", ("to be or",)),
        ("C++ C# .NET", ("c++", "c#", ".net")),
        ('"copper lantern"', ("copper", "lantern")),
        ("Straße", ("strasse",)),
        ("   ", ()),
        ("?!", ("?!",)),
    ],
)
def test_words_are_folded_and_small_ones_left_out(query, terms):
    assert split_terms(query) == terms


def test_only_so_many_words_are_looked_for():
    assert len(split_terms(" ".join(f"word{n}" for n in range(100)))) == MOST_TERMS


@pytest.mark.parametrize("query", ["ÜBER", "über", "u\u0308ber", "U\u0308BER"])
def test_letter_case_and_the_composition_of_accents_do_not_matter(find, put, query):
    put("A", "# A\n\nÜber alles.\n")
    put("B", "# B\n\nu\u0308ber.\n")

    assert [summary.name for summary in find(query).summaries] == ["A", "B"]


def test_a_long_line_is_shown_around_the_word(find, put):
    put("A", "# A\n\n" + "x " * 500 + "lantern " + "y " * 500 + "\n")

    (hit,) = find("lantern").hits

    assert hit.line == 3
    assert hit.excerpt.startswith(CUT) and hit.excerpt.endswith(CUT)
    assert "lantern" in hit.excerpt
    assert len(hit.excerpt) == LONGEST_EXCERPT + 2 * len(CUT)


def test_a_word_of_the_title_alone_counts_as_found(find, put):
    put("Copper_Lantern", "words\n")

    (summary,) = find("lantern").summaries

    assert (summary.occurrences, summary.title_matches) == (0, 1)


def test_a_line_counts_each_word_once_and_lines_are_numbered_from_one(find, put):
    put("A", "copper copper copper\ncopper lantern\n\nlantern")

    hits = find("copper lantern").hits

    assert [hit.line for hit in hits] == [2, 1, 4]


def test_search_shows_what_a_plain_reading_of_every_line_finds(find, put, many, settings):
    many(40)
    entries = settings.CATALOG.snapshot().articles.values()
    terms = ("copper", "lantern", "zürich")
    lines = [
        (-count, entry.name, number)
        for entry in entries
        for number, line in enumerate(entry.folded.split("\n"), 1)
        if (count := sum(term in line for term in terms))
    ]

    found = find("copper lantern zürich", 1000)

    assert [(hit.name, hit.line) for hit in found.hits] == [line[1:] for line in sorted(lines)]
