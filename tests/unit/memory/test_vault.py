"""Files of the vault: which names lead to them, and which to nothing."""

import os
import unicodedata

import pytest

from memory.errors import ArticleNotFound, NotListed
from memory.vault import LARGEST_PAGE, Vault


def test_articles_are_the_markdown_files_of_one_folder(vault, put):
    put("B", "b")
    put("A", "a")
    folder = vault.root / "articles"
    (folder / "notes.txt").write_text("no")
    (folder / ".hidden.md").write_text("no")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")

    assert [file.name for file in vault.articles()] == ["A", "B"]
    assert [file.name for file in vault.reference()] == [
        "Reference/mlxsite_README",
        "Reference/mlxsite_Server_API",
    ]


def test_a_name_may_have_spaces_and_accents_of_either_kind(vault, put):
    put("Zürich_West", "here")

    for name in ("Zürich_West", "Zürich West", unicodedata.normalize("NFD", "Zürich West")):
        assert vault.read(name).text == "here"


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../outside", "../articles/A", "/etc/passwd", "A.md", "A\0", "a"),
        *("articles/A", "Reference/../articles/A", "Reference/A", "Meta/Buckets", "sub/A", "A/"),
        *("\ud800", "A" * 5000, "%2e%2e/outside", "A\n"),
    ],
)
def test_no_other_name_leads_anywhere(vault, put, name):
    """Public case se-04."""
    put("A", "a")
    (vault.root / "outside.md").write_text("secret")

    if name == "A\n":  # blank space around a name means nothing
        assert vault.read(name).text == "a"
    else:
        with pytest.raises(ArticleNotFound):
            vault.read(name)


def test_links_out_of_the_vault_are_no_pages(vault, put, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    put("A", "a")
    (vault.root / "articles" / "Out.md").symlink_to(secret)
    (vault.root / "articles" / "Loop.md").symlink_to(vault.root / "articles" / "Loop.md")
    (vault.root / "articles" / "Same.md").symlink_to("A.md")
    (vault.root / "Reference" / "Out.md").symlink_to(secret)

    assert [file.name for file in vault.articles()] == ["A", "Same"]
    assert len(vault.reference()) == 2


def test_a_folder_that_leads_elsewhere_is_not_listed(vault, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "A.md").write_text("secret")
    (vault.root / "articles").rmdir()
    (vault.root / "articles").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(NotListed, match="articles/ leads out of the vault"):
        vault.articles()


def test_a_folder_that_is_not_there_is_empty_and_one_that_cannot_be_read_is_not(vault, monkeypatch):
    (vault.root / "articles").rmdir()
    assert vault.articles() == []

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("memory.vault.os.scandir", refuse)
    with pytest.raises(NotListed, match="articles/ cannot be read: Permission denied"):
        vault.articles()


@pytest.fixture(params=["leads out", "cannot be read"])
def bad_folder(request, vault, tmp_path, monkeypatch):
    """Call with a folder of the vault: it cannot be listed from now on, in one way or another."""

    def spoil(folder):
        path = vault.root / folder
        if request.param == "leads out":
            path.rename(tmp_path / "moved")
            path.symlink_to(tmp_path / "moved")
            return
        scandir = os.scandir

        def refuse(listed):
            if listed == path:
                raise PermissionError(13, "Permission denied")
            return scandir(listed)

        monkeypatch.setattr("memory.vault.os.scandir", refuse)

    return spoil


def test_articles_do_without_pages_of_reference(vault, put, settings, bad_folder, caplog):
    put("A", "a")
    bad_folder("Reference")

    for _ in range(3):
        snapshot = settings.CATALOG.snapshot()
        assert (list(snapshot.articles), list(snapshot.reference)) == (["A"], [])
        with pytest.raises(ArticleNotFound):
            vault.find("Reference/mlxsite_README")

    assert [record.getMessage()[:49] for record in caplog.records] == [
        "the memory goes without its pages of reference: R"
    ]


def test_a_page_is_found_without_a_look_at_all_the_others(vault, many, monkeypatch):
    many(30)
    looked_at, page_of = [], Vault._page
    monkeypatch.setattr(
        Vault, "_page", lambda self, *args: looked_at.append(args) or page_of(self, *args)
    )

    assert vault.find("Article_007").stem == vault.find("Article 007").stem == "Article_007"
    assert len(looked_at) == 2


def test_what_the_user_lays_down_is_not_taken_for_nothing(vault, bad_folder):
    bad_folder("Meta")

    with pytest.raises(NotListed, match="Meta/"):
        vault.meta("Topics_to_Ignore")


def test_loops_of_links_lead_nowhere(vault):
    for path in ("articles/Loop.md", "Reference/Loop.md", "Meta/Loop.md"):
        (vault.root / path).symlink_to("Loop.md")

    assert vault.articles() == []
    assert len(vault.reference()) == 2
    assert vault.meta("Loop") == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root looks everywhere")
def test_a_vault_where_one_may_not_look_is_none(vault):
    vault.root.chmod(0)
    try:
        assert not vault.exists
    finally:
        vault.root.chmod(0o700)


def test_a_vault_may_be_reached_by_a_link(vault, put, tmp_path):
    from memory.config import VaultConfig
    from memory.vault import Vault

    put("A", "a")
    (tmp_path / "link").symlink_to(vault.root)

    assert Vault(VaultConfig(tmp_path / "link", vault.docs_root)).read("A").text == "a"


def test_what_is_not_utf_8_or_too_large_is_read_as_far_as_it_goes(vault, put):
    put("Latin", "caf\xe9".encode("latin-1"))
    put("Large", b"x" * (LARGEST_PAGE + 5))

    assert (vault.read("Latin").text, vault.read("Latin").is_whole) == ("caf\ufffd", False)
    assert (len(vault.read("Large").text), vault.read("Large").is_whole) == (LARGEST_PAGE, False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_not_found(vault, put):
    put("A", "a")
    (vault.root / "articles" / "A.md").chmod(0)

    with pytest.raises(ArticleNotFound):
        vault.read("A")


def test_pages_of_policy_are_read_by_stem(vault):
    assert vault.meta("Buckets").startswith("# Buckets")
    assert vault.meta("../README") == vault.meta("None") == ""
