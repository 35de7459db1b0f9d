"""The pages in memory follow the files; what names mean follows from the pages."""

import os
import time

import pytest

from memory.catalog import read_page
from memory.errors import ArticleNotFound, NoVault
from memory.links import Via


@pytest.fixture
def catalog(vault, settings):
    return settings.CATALOG


def test_a_snapshot_stays_as_it_was_and_is_the_same_until_a_file_changes(catalog, put):
    put("A", "one")
    before = catalog.snapshot()
    assert catalog.snapshot() is before

    put("A", "another")

    after = catalog.snapshot()
    assert (before.articles["A"].text, after.articles["A"].text) == ("one", "another")


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(catalog, vault, put):
    path = vault.root / "articles" / "A.md"
    put("A", "one")
    now = time.time_ns()
    os.utime(path, ns=(now, now))
    assert catalog.snapshot().articles["A"].text == "one"

    put("A", "two")
    os.utime(path, ns=(now, now))

    assert catalog.snapshot().articles["A"].text == "two"


def test_only_files_that_have_changed_are_read(catalog, vault, put, many, monkeypatch):
    many(20)
    for path in (vault.root / "articles").iterdir():
        os.utime(path, (1000, 1000))  # long ago
    catalog.snapshot()
    read = []
    monkeypatch.setattr(
        "memory.catalog.read_page", lambda file: read.append(file.name) or read_page(file)
    )

    put("Article_004", "changed")
    put("New", "new")
    snapshot = catalog.snapshot()

    assert sorted(name for name in read if "/" not in name) == ["Article_004", "New"]
    assert len(snapshot.articles) == 21


def test_without_a_vault_there_is_no_snapshot(no_vault, settings):
    with pytest.raises(NoVault):
        settings.CATALOG.snapshot()


def test_letter_case_decides_only_where_it_has_to(catalog, put):
    put("Ada", "a")
    put("ADA", "b")
    put("Bob", "c")
    snapshot = catalog.snapshot()

    assert (snapshot.get("Ada").text, snapshot.get("ADA").text) == ("a", "b")
    assert snapshot.get("bob").name == "Bob"
    with pytest.raises(ArticleNotFound):
        snapshot.get("ada")


def test_links_tell_what_makes_them(catalog, put):
    put(
        "A",
        "# A\n\n*Part of a series on [[S]].*\n\n```info\nmaker: [[I]]\n```\n\n"
        "Lead [[P#x]] [[A]].\n\n"
        "## Part\n\n*Main article: [[M]]*\n\n## See also\n\n- [[E]]\n",
    )

    links = catalog.snapshot().articles["A"].links

    assert [(link.target, link.anchor, link.via) for link in links] == [
        ("S", "", Via.SERIES),
        ("I", "", Via.INFOBOX),
        ("P", "x", Via.PROSE),
        ("M", "", Via.MAIN),
        ("E", "", Via.SEE_ALSO),
    ]


def test_a_redirect_lends_its_name_to_what_it_leads_to(catalog, put):
    put("Old_Name", "# Old Name\n\n*Redirects to [[new name]]*\n")
    put("New_Name", "# New Name\n\nLead.\n")
    surfaces = catalog.snapshot().surfaces

    assert surfaces["old name"] == surfaces["new name"] == ["New_Name"]
