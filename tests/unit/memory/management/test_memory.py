"""`manage.py memory` on a terminal."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from memory.models import Entity


def run(*words):
    out, err = io.StringIO(), io.StringIO()
    call_command("memory", *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_init_tells_what_it_made_and_then_that_nothing_was_missing(no_vault):
    told, _ = run("init")
    assert "Meta/Buckets.md\n" in told
    assert told.endswith(f"The memory is in {no_vault.root}.\n")

    assert run("init")[0] == f"{no_vault.root}: nothing was missing.\n"
    assert json.loads(run("init", "--json")[0])["alreadySetUp"] is True


def test_without_git_it_says_that_there_will_be_no_history(no_vault, no_git):
    assert "keeps no history" in run("init")[0]


@pytest.mark.parametrize("words", [[], ["status"], ["search", "x"], ["read", "x"], ["index"]])
def test_without_a_vault_it_says_how_to_make_one(no_vault, words):
    with pytest.raises(CommandError, match="memory init"):
        run(*words)


def test_status_counts(vault, put):
    put("Ada", "x")

    told = run()[0].splitlines()

    assert "Articles   1" in told and "History    kept by git" in told
    assert json.loads(run("status", "--json")[0])["articleCount"] == 1


def test_search_prints_pages_and_lines(put):
    put("Ada", "# Ada\n\nA copper lantern.\n")

    assert run("search", "copper", "--scope", "articles")[0] == (
        "Ada  copper\nAda:3  A copper lantern.\n"
    )
    assert run("search", "submarine")[0] == "Nothing holds these words.\n"


def test_read_prints_a_page_and_what_is_wrong_with_it(put):
    put("Ada", "# Other\n\nLead.")

    out, err = run("read", "ada")

    assert out == "# Other\n\nLead.\n"
    assert "line 1: the title 'Other' is not that of Ada" in err
    with pytest.raises(CommandError, match="no page 'Nobody'"):
        run("read", "Nobody")


@pytest.mark.django_db
def test_index_makes_the_rows_anew(put):
    put("Ada", "# Ada\n")

    assert run("index")[0] == "Articles in the index: 1\n"
    assert Entity.objects.count() == 1
