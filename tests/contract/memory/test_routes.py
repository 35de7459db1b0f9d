"""`/api/memory/*`: what the routes answer, with a vault and without, and what they refuse."""

import os
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memory.vault import LARGEST_PAGE
from mlxsite.schedule import daily
from tests.plugins.openapi import answers

READS = ("status", "list", "search", "article", "links", "history", "diff")
ADA = """\
# Ada Lovelace

*Part of a series on [[Computing]].*

```info
kind: person
type: Mathematician
aliases: Ada, Countess of Lovelace
born: 1815-12
met: [[Charles_Babbage]]
```

She wrote the first program, for [[Charles_Babbage|Babbage]]'s engine.

## Work

### The notes

Notes on the engine, and a loop.

## See also

- [[Engine]]
"""


@pytest.fixture
def get(async_client):
    """Call with a route and its parameters; the answer is held against the document."""

    async def call(route, **query):
        path = f"/api/memory/{route}"
        response = await async_client.get(path, query)
        answers(path, response.status_code, method="get").validate(response.json())
        return response.status_code, response.json()

    return call


@pytest.fixture
def init(async_client):
    async def call(body=None):
        path = "/api/memory/init"
        response = await async_client.post(path, body or {}, content_type="application/json")
        answers(path, response.status_code).validate(response.json())
        return response.status_code, response.json()

    return call


@pytest.mark.parametrize("route", READS)
async def test_without_a_vault_every_route_says_so_and_where_one_would_be(get, no_vault, route):
    assert await get(route) == (
        200,
        {
            "ok": False,
            "enabled": False,
            "error": "no memory vault yet",
            "root": str(no_vault.root),
        },
    )
    assert not no_vault.root.exists()


async def test_init_makes_a_vault_and_then_finds_it_made(get, init, no_vault):
    status, body = await init()

    assert status == 200
    assert body["result"]["root"] == str(no_vault.root)
    assert {"articles/", "README.md", "Meta/Entities.md"} <= set(body["result"]["created"])
    assert (body["result"]["gitInitialized"], body["result"]["alreadySetUp"]) == (True, False)
    assert body["status"] == {
        "root": str(no_vault.root),
        "exists": True,
        "articleCount": 0,
        "referenceCount": 2,
        "isGitRepo": True,
        "recentArticles": [],
    }
    _, again = await init()
    assert again["result"] == {
        "root": str(no_vault.root),
        "created": [],
        "gitInitialized": False,
        "alreadySetUp": True,
    }
    assert await get("status") == (200, {"ok": True, "enabled": True, "status": again["status"]})


async def test_a_fresh_vault_has_no_articles_and_the_pages_of_reference(get, vault):
    assert await get("list") == (
        200,
        {
            "ok": True,
            "articles": [],
            "reference": ["Reference/mlxsite_README", "Reference/mlxsite_Server_API"],
        },
    )
    assert await get("search", q="anything") == (200, {"ok": True, "summaries": [], "hits": []})
    assert await get("article", name="Ada") == (404, {"ok": False, "error": "article not found"})


async def test_a_vault_may_be_made_below_the_root_or_in_a_temporary_folder(init, no_vault):
    inner = no_vault.root / "inner"
    with tempfile.TemporaryDirectory() as temporary:
        for path in (inner, Path(temporary).resolve() / "wiki"):
            status, body = await init({"path": str(path)})
            assert (status, body["status"]["root"]) == (200, str(path))
            assert (path / "articles").is_dir()


@pytest.mark.parametrize("path", ["/", "/etc/wiki", "wiki", "", "/tmp/../etc", "~/x", "/tmp/\0"])
async def test_a_vault_may_be_made_nowhere_else(init, no_vault, path, monkeypatch):
    """Public case se-04."""
    monkeypatch.chdir("/")  # wherever the project lies, which may be a temporary folder
    assert await init({"path": path}) == (
        400,
        {"ok": False, "error": "path must be under the memory vault root or a temp directory"},
    )
    assert not no_vault.root.exists()


async def test_a_path_that_is_no_text_is_refused(init, no_vault):
    assert await init({"path": 7}) == (400, {"ok": False, "error": "path must be text"})


async def test_a_disk_that_refuses_is_told_without_a_path(init, no_vault):
    no_vault.root.parent.mkdir()
    no_vault.root.write_text("in the way")

    status, body = await init()

    assert (status, body["error"]) == (507, "the vault cannot be written: File exists")


async def test_a_folder_that_leads_elsewhere_is_told_and_not_taken_for_an_empty_one(get, vault):
    (vault.root / "articles").rmdir()
    (vault.root / "articles").symlink_to(vault.root.parent)

    for route in ("status", "list"):
        assert await get(route) == (
            503,
            {"ok": False, "error": "articles/ leads out of the vault"},
        )


async def test_status_lists_what_was_touched_last(get, vault, put):
    for number in range(7):
        put(f"A{number}", "x")
        os.utime(vault.root / "articles" / f"A{number}.md", (1000 + number, 1000 + number))

    _, body = await get("status")

    recent = body["status"]["recentArticles"]
    assert [row["article"] for row in recent] == ["A6", "A5", "A4", "A3", "A2"]
    assert recent[0]["mtimeMs"] == 1_006_000


async def test_an_article_is_told_with_its_header_and_its_skeleton(get, put):
    put("Ada_Lovelace", ADA)

    status, body = await get("article", name="Ada_Lovelace")

    assert status == 200
    assert body == {
        "ok": True,
        "name": "Ada_Lovelace",
        "path": "articles/Ada_Lovelace.md",
        "content": ADA,
        "infobox": {
            "type": "Mathematician",
            "entityKind": "person",
            "fields": [
                {
                    "key": "aliases",
                    "value": "Ada, Countess of Lovelace",
                    "isEntityLink": False,
                    "kind": "list",
                },
                {"key": "born", "value": "1815-12", "isEntityLink": False, "kind": "date"},
                {
                    "key": "met",
                    "value": "[[Charles_Babbage]]",
                    "isEntityLink": True,
                    "kind": "entity-link",
                },
            ],
        },
        "lead": "She wrote the first program, for [[Charles_Babbage|Babbage]]'s engine.",
        "series": "Computing",
        "structure": [
            {"kind": "h1", "title": "Ada Lovelace", "depth": 1, "startLine": 1, "endLine": 1},
            {"kind": "series", "startLine": 3, "endLine": 3},
            {"kind": "infobox", "startLine": 5, "endLine": 11},
            {"kind": "lead", "startLine": 13, "endLine": 13},
            {"kind": "section", "title": "Work", "depth": 2, "startLine": 15, "endLine": 20},
            {"kind": "section", "title": "The notes", "depth": 3, "startLine": 17, "endLine": 20},
            {"kind": "see-also", "title": "See also", "depth": 2, "startLine": 21, "endLine": 23},
        ],
    }


async def test_a_page_of_reference_is_read_like_an_article(get, vault):
    status, body = await get("article", name="Reference/mlxsite_README")

    assert (status, body["path"]) == (200, "Reference/mlxsite_README.md")
    assert body["content"] == "# mlxsite\n\nA private server.\n"
    assert (body["infobox"], body["series"]) == (None, None)


async def test_links_lead_both_ways(get, put):
    put("Ada_Lovelace", ADA)
    put("Charles_Babbage", "# Charles Babbage\n\nKnew [[ada lovelace]], `[[Nobody]]`.\n")

    assert await get("links", name="Ada_Lovelace") == (
        200,
        {
            "ok": True,
            "name": "Ada_Lovelace",
            "outbound": ["Computing", "Charles_Babbage", "Engine"],
            "inbound": ["Charles_Babbage"],
        },
    )
    assert (await get("links", name="Reference/mlxsite_README"))[0] == 404


async def test_history_and_diff_tell_what_became_of_an_article(get, put):
    put("Ada", "# Ada\n", subject="Begin Ada")
    commit = put("Ada", "# Ada\n\nMore.\n", subject="Tell more of Ada")

    _, history = await get("history", name="Ada")
    status, diff = await get("diff", name="Ada", rev=commit[:7])

    assert history["isGitRepo"] is True
    assert [e["subject"] for e in history["entries"]] == ["Tell more of Ada", "Begin Ada"]
    assert history["entries"][0]["hash"] == commit
    assert (status, diff["rev"]) == (200, commit[:7])
    assert diff["diff"].startswith("diff --git a/articles/Ada.md b/articles/Ada.md\n")
    assert diff["diff"].endswith("+\n+More.\n")


@pytest.mark.parametrize("limit", ["-1", "0", "abc", "1.5", "٣", "9" * 5000, ""])
async def test_a_limit_that_means_nothing_is_the_default(get, put, limit):
    """Public case se-05."""
    put("Ada", "x", subject="one")

    status, body = await get("history", name="Ada", limit=limit)

    assert (status, len(body["entries"])) == (200, 1)


async def test_limits_are_kept_and_capped(get, vault, many):
    many(210)

    assert len((await get("search", q="article", limit="2"))[1]["hits"]) == 2
    assert len((await get("search", q="article"))[1]["summaries"]) == 50
    assert len((await get("search", q="article", limit="100000"))[1]["summaries"]) == 200


@pytest.mark.parametrize(
    "rev",
    ["--output=x", "HEAD~1", "abc", "ABCDEF12", "deadbeef\n", "deadbeef..", "g" * 8, "a" * 41],
)
async def test_what_is_no_hash_never_reaches_git(get, vault, put, monkeypatch, rev):
    """Public case se-05."""
    put("A", "x", subject="a")
    monkeypatch.setattr("memory.git.subprocess.run", lambda *a, **k: pytest.fail("git was run"))

    assert await get("diff", name="A", rev=rev) == (
        400,
        {"ok": False, "error": "rev must be a commit hash (4-40 hex chars)"},
    )
    assert not list(vault.root.rglob("x"))


@pytest.mark.parametrize(
    ("route", "query", "expected"),
    [
        ("search", {}, (400, "q is required")),
        ("search", {"q": "  "}, (400, "q is required")),
        ("search", {"q": "x" * 1001}, (400, "q has 1,001 characters, and 1,000 are allowed")),
        ("article", {}, (400, "name is required")),
        ("links", {}, (400, "name is required")),
        ("history", {}, (400, "name is required")),
        ("diff", {}, (400, "name is required")),
        ("diff", {"name": "A"}, (400, "rev is required")),
        ("diff", {"name": "--output=x", "rev": "deadbeef"}, (404, "article not found")),
        ("history", {"name": "none"}, (404, "article not found")),
        (
            "diff",
            {"name": "A", "rev": "deadbeef"},
            (404, "commit not found or no diff for this article at that revision"),
        ),
    ],
)
async def test_what_is_wrong_with_a_request_is_said(get, put, route, query, expected):
    """Public case se-05."""
    put("A", "x", subject="a")

    assert await get(route, **query) == (
        expected[0],
        {"ok": False, "error": expected[1]},
    )


@pytest.mark.parametrize(
    "name",
    [
        *("../../outside", "../outside", "/etc/passwd", "Reference/../outside", "A\0", "A.md"),
        *("..%2f..%2foutside", "Out", "Reference/Out", "articles/A", "\u202eA", "A" * 10_000),
    ],
)
async def test_no_name_leads_out_of_the_vault(get, vault, put, name):
    """Public case se-04."""
    put("A", "x", subject="a")
    outside = vault.root.parent / "outside.md"
    outside.write_text("secret")
    (vault.root / "articles" / "Out.md").symlink_to(outside)
    (vault.root / "Reference" / "Out.md").symlink_to(outside)

    for route, more in (("article", {}), ("links", {}), ("history", {}), ("diff", {"rev": "abcd"})):
        status, body = await get(route, name=name, **more)
        assert (status, body["error"]) == (404, "article not found")


async def test_names_in_any_script_are_found(get, put):
    for stem in ("Zürich", "東京_タワー", "Ω", "quote'\"s", "a&b=c+d", "100%_sure", "🦊"):
        commit = put(stem, f"# {stem}\n", subject=f"Begin {stem}")
        status, body = await get("article", name=stem)
        assert (status, body["name"]) == (200, stem)
        assert (await get("history", name=stem))[1]["entries"][0]["hash"] == commit
        assert (await get("diff", name=stem, rev=commit))[0] == 200


async def test_broken_articles_are_answered_as_far_as_they_go(get, put):
    put("Latin", b"# Caf\xe9 \0\n\n```info\nkind: planet\n\n## Part\n[[")
    put("Empty", "")
    put("Large", "# Large\n\n" + "word " * (LARGEST_PAGE // 4))
    put("Binary", bytes(range(256)) * 20)

    for name in ("Latin", "Empty", "Large", "Binary"):
        status, body = await get("article", name=name)
        assert (status, body.get("partial", False)) == (200, name != "Empty")
        assert (await get("links", name=name))[0] == 200
        assert (await get("history", name=name))[0] == 200
    status, body = await get("search", q="caf word")
    assert (status, [row["article"] for row in body["summaries"]]) == (200, ["Large", "Latin"])


async def test_a_vault_that_is_no_repository_works_without_a_history(get, vault, put):
    put("A", "# A\n\nWords.\n", subject="a")
    shutil.rmtree(vault.root / ".git")

    assert (await get("status"))[1]["status"]["isGitRepo"] is False
    assert (await get("article", name="A"))[0] == 200
    assert await get("history", name="A") == (
        200,
        {"ok": True, "name": "A", "isGitRepo": False, "entries": []},
    )
    assert (await get("diff", name="A", rev="abcd"))[0] == 404


async def test_a_machine_without_git_has_a_vault_without_a_history(get, init, no_vault, no_git):
    status, body = await init()

    assert (status, body["result"]["gitInitialized"]) == (200, False)
    assert body["status"]["isGitRepo"] is False
    (no_vault.root / "articles" / "A.md").write_text("x")
    assert (await get("history", name="A"))[1]["isGitRepo"] is False


async def test_another_git_at_work_stops_no_reader_and_no_init(get, init, vault, put):
    commit = put("A", "x", subject="a")
    (vault.root / ".git" / "index.lock").touch()
    (vault.root / "Meta" / "Buckets.md").unlink()

    assert (await get("history", name="A"))[1]["entries"][0]["hash"] == commit
    assert (await get("diff", name="A", rev=commit))[0] == 200
    vault.git._patience = 0
    assert (await init())[1]["result"]["created"] == ["Meta/Buckets.md"]


async def test_search_ranks_by_words_then_titles_then_occurrences_then_names(get, put):
    put("Both", "# Both\n\nA copper lantern.\n")
    put("Copper", "# Copper\n\nMetal.\n")
    put("Often", "# Often\n\ncopper copper\n\ncopper\n")
    put("B_once", "# B once\n\nCOPPER\n")
    put("A_once", "# A once\n\nCopper\n")

    _, body = await get("search", q="the copper Lantern?", scope="articles")

    assert body["summaries"] == [
        {"article": "Both", "occurrences": 2, "matched_terms": ["copper", "lantern"]},
        {
            "article": "Copper",
            "occurrences": 1,
            "matched_terms": ["copper"],
            "title_matches": 1,
        },
        {"article": "Often", "occurrences": 3, "matched_terms": ["copper"]},
        {"article": "A_once", "occurrences": 1, "matched_terms": ["copper"]},
        {"article": "B_once", "occurrences": 1, "matched_terms": ["copper"]},
    ]
    assert [(hit["article"], hit["line"]) for hit in body["hits"]] == [
        *(("Both", 3), ("A_once", 3), ("B_once", 3), ("Copper", 1), ("Often", 3), ("Often", 5)),
    ]


async def test_hits_name_their_section_and_single_words_no_terms(get, put):
    put("Ada_Lovelace", ADA)

    _, body = await get("search", q="LOOP")

    assert body["summaries"] == [{"article": "Ada_Lovelace", "occurrences": 1}]
    assert body["hits"] == [
        {
            "article": "Ada_Lovelace",
            "anchor": "the-notes",
            "line": 19,
            "excerpt": "Notes on the engine, and a loop.",
        }
    ]


async def test_a_scope_keeps_to_its_pages_and_an_unknown_one_means_all(get, put):
    put("A", "# A\n\nlantern\n")

    for scope, expected in {
        "articles": ["A"],
        "reference": ["Reference/mlxsite_Server_API"],
        "all": ["A", "Reference/mlxsite_Server_API"],
        "nonsense": ["A", "Reference/mlxsite_Server_API"],
    }.items():
        _, body = await get("search", q="lantern", scope=scope)
        assert [row["article"] for row in body["summaries"]] == expected


async def test_a_query_of_stopwords_alone_is_looked_for_as_it_stands(get, put):
    put("Hamlet", "# Hamlet\n\nTo be, or not to be there.\n")
    put("Other", "# Other\n\nNot or to be.\n")

    _, body = await get("search", q="not  To be")

    assert [row["article"] for row in body["summaries"]] == ["Hamlet"]


async def test_five_hundred_articles_are_searched_in_a_moment(get, many):
    many(500)
    await get("search", q="warm up")  # reads the files

    begun = time.process_time()  # of all threads, whoever else uses the machine
    _, body = await get("search", q="copper lantern zürich")
    seconds = time.process_time() - begun

    assert len(body["summaries"]) == 50
    assert seconds < 0.2


async def test_what_somebody_edits_is_what_is_read_next(get, vault, put):
    put("A", "# A\n\none\n")
    assert (await get("search", q="two"))[1]["hits"] == []

    put("A", "# A\n\ntwo\n")
    assert len((await get("search", q="two"))[1]["hits"]) == 1

    (vault.root / "articles" / "A.md").unlink()
    assert (await get("article", name="A"))[0] == 404


@pytest.mark.parametrize(("at", "expected"), [("03:30", "03:30"), ("off", None)])
async def test_the_time_at_which_chats_become_articles_is_told(
    async_client, settings, at, expected
):
    settings.JOBS = replace(settings.JOBS, daily=daily(at))

    response = await async_client.get("/api/memory/schedule")

    assert response.json() == {"ok": True, "at": expected}
