"""Articles are written whole, and never over what somebody wrote meanwhile."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory import placing
from memory.errors import ChangedMeanwhile, InvalidStem, NotWritten
from memory.vault import blob_hash
from memory.writing import add_note, write_article


def test_an_article_is_made_and_then_changed_by_whoever_knows_its_hash(vault):
    first = write_article(vault, "A", "one", expected=None)
    second = write_article(vault, "A", "two", expected=first)

    assert vault.read("A").text == "two"
    assert second == blob_hash(b"two") == vault.read("A").blob_hash
    assert [p.name for p in (vault.root / "articles").iterdir()] == ["A.md"]


def test_a_persons_edit_between_reading_and_writing_is_kept(vault, put):
    put("A", "read")
    read = vault.read("A").blob_hash
    put("A", "edited by hand")

    with pytest.raises(ChangedMeanwhile, match="edited since"):
        write_article(vault, "A", "new", expected=read)

    assert vault.read("A").text == "edited by hand"


def test_an_article_that_was_deleted_or_made_meanwhile_is_left_so(vault, put):
    with pytest.raises(ChangedMeanwhile, match="deleted"):
        write_article(vault, "A", "new", expected="0" * 40)
    put("A", "there")
    with pytest.raises(ChangedMeanwhile, match="written since"):
        write_article(vault, "A", "new", expected=None)

    assert vault.read("A").text == "there"


def test_one_of_many_writers_wins_and_the_others_are_told(vault):
    known = write_article(vault, "A", "0", expected=None)

    def write(number):
        try:
            write_article(vault, "A", f"by {number}", expected=known)
        except ChangedMeanwhile:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(8))) == 1
    assert vault.read("A").text.startswith("by ")


@pytest.mark.parametrize(
    "stem",
    [
        *("", "a b", "../a", "a/b", "a\\b", ".a", "-a", "a.", "a[b]", "a|b", "a#b", "a:b", "a\0b"),
        *("a\nb", "u\u0308", "a\u200bb", "x" * 201, "é" * 101),
    ],
)
def test_names_that_some_disk_or_link_cannot_hold_are_refused(vault, stem):
    with pytest.raises(InvalidStem):
        write_article(vault, stem, "x", expected=None)


def test_names_that_differ_in_letter_case_alone_are_refused(vault):
    write_article(vault, "Ada", "x", expected=None)

    with pytest.raises(InvalidStem, match="letter case"):
        write_article(vault, "ADA", "x", expected=None)


def test_a_link_is_not_written_through(vault, put):
    put("A", "a")
    (vault.root / "articles" / "B.md").symlink_to("A.md")

    with pytest.raises(NotWritten, match="link"):
        write_article(vault, "B", "new", expected=blob_hash(b"a"))


def test_a_disk_that_refuses_leaves_the_old_text(vault, put, monkeypatch):
    put("A", "old")

    def refuse(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(NotWritten, match="No space left"):
        write_article(vault, "A", "new", expected=blob_hash(b"old"))

    assert vault.read("A").text == "old"
    assert [p.name for p in (vault.root / "articles").iterdir()] == ["A.md"]


def test_the_mode_of_a_file_stays(vault, put):
    put("A", "old")
    path = vault.root / "articles" / "A.md"
    path.chmod(0o600)

    write_article(vault, "A", "new", expected=blob_hash(b"old"))

    assert path.stat().st_mode & 0o777 == 0o600


def test_notes_add_up_on_the_talk_page(vault):
    add_note(vault, "A", "first\nnote")
    add_note(vault, "A", "second")

    text = (vault.root / "Talk" / "A.md").read_text()
    assert text == "# Talk: A\n\n- first note\n- second\n"


@pytest.fixture(params=["exchange", "no exchange"])
def at_the_last_moment(request, monkeypatch):
    """Call with what a person does once a draft is finished; on both kinds of systems."""
    if request.param == "no exchange":
        monkeypatch.setattr(placing, "exchange", lambda one, other: False)
    return lambda act: monkeypatch.setattr(os, "fsync", lambda descriptor: act())


def test_an_edit_while_the_draft_is_written_is_kept(vault, put, at_the_last_moment):
    put("A", "read")
    known = vault.read("A").blob_hash
    at_the_last_moment(lambda: put("A", "edited by hand"))

    with pytest.raises(ChangedMeanwhile, match="edited since"):
        write_article(vault, "A", "new", expected=known)

    assert vault.read("A").text == "edited by hand"
    assert [p.name for p in (vault.root / "articles").iterdir()] == ["A.md"]


def test_an_article_made_or_deleted_while_the_draft_is_written_stays_so(
    vault, put, at_the_last_moment
):
    at_the_last_moment(lambda: put("A", "made by hand"))
    with pytest.raises(ChangedMeanwhile, match="written since"):
        write_article(vault, "A", "new", expected=None)
    assert vault.read("A").text == "made by hand"

    at_the_last_moment((vault.root / "articles" / "A.md").unlink)
    with pytest.raises(ChangedMeanwhile, match="deleted since"):
        write_article(vault, "A", "new", expected=vault.read("A").blob_hash)
    assert vault.articles() == []


def swap(one, other):
    """Let two files change names, as the system's exchange does, on any disk."""
    aside = other.with_suffix(".swap")
    other.rename(aside)
    one.rename(other)
    aside.rename(one)


def test_an_edit_between_the_draft_and_the_exchange_is_kept(vault, put, monkeypatch):
    put("A", "read")
    known, exchange = vault.read("A").blob_hash, placing.exchange
    if not exchange(vault.root / "articles" / "A.md", vault.root / "README.md"):
        pytest.skip("this disk cannot exchange files")
    exchange(vault.root / "articles" / "A.md", vault.root / "README.md")
    edits = iter(["edited by hand"])

    def edit_first(one, other):
        for text in edits:
            put("A", text)
        return exchange(one, other)

    monkeypatch.setattr(placing, "exchange", edit_first)
    with pytest.raises(ChangedMeanwhile):
        write_article(vault, "A", "new", expected=known)

    assert vault.read("A").text == "edited by hand"


@pytest.mark.parametrize("outcome", [False, FileNotFoundError()])
def test_an_edit_is_given_back_though_nothing_can_be_exchanged_any_more(
    vault, put, monkeypatch, outcome
):
    put("A", "read")
    known = vault.read("A").blob_hash

    def take_out(draft, path):
        put("A", "edited by hand")
        swap(draft, path)
        monkeypatch.setattr(placing, "exchange", give_back)
        return True

    def give_back(draft, path):
        if outcome is False:
            return False
        path.unlink()
        raise outcome

    monkeypatch.setattr(placing, "exchange", take_out)
    with pytest.raises(ChangedMeanwhile):
        write_article(vault, "A", "new", expected=known)

    assert vault.read("A").text == "edited by hand"
    assert [p.name for p in (vault.root / "articles").iterdir()] == ["A.md"]


def save(path, text):
    """Write as editors do: whole, and under the file's name once it is finished."""
    finished = path.with_suffix(".finished")
    finished.write_text(text)
    finished.replace(path)


@pytest.fixture
def saved_before_each_exchange(vault, put, monkeypatch):
    """Write to an article whose file a person saves before each exchange; gives what is there."""
    real, path = placing.exchange, vault.root / "articles" / "A.md"

    def write(*saves):
        put("A", "read")
        known, coming = vault.read("A").blob_hash, iter(saves)

        def exchange(one, other):
            for text in coming:
                save(path, text)
                break
            return real(one, other)

        monkeypatch.setattr(placing, "exchange", exchange)
        with pytest.raises(ChangedMeanwhile):
            write_article(vault, "A", "new", expected=known)
        return {file.name: file.read_text() for file in path.parent.iterdir()}

    put("A", "read")
    if not real(path, vault.root / "README.md") or not real(path, vault.root / "README.md"):
        pytest.skip("this disk cannot exchange files")
    return write


def test_what_a_person_saves_while_an_edit_is_given_back_is_kept(saved_before_each_exchange):
    assert saved_before_each_exchange("second", "third") == {"A.md": "third"}


def test_an_edit_while_a_later_one_is_given_back_is_kept(saved_before_each_exchange):
    assert saved_before_each_exchange("second", "third", "fourth") == {"A.md": "fourth"}


def test_of_a_file_that_is_saved_all_the_time_the_last_edits_are_kept(
    saved_before_each_exchange, caplog
):
    saves = [f"edit {number}" for number in range(20)]
    there = saved_before_each_exchange(*saves)

    last = placing.MOST_RETURNS
    assert there == {"A.md": saves[last - 1], "A.kept.txt": saves[last]}
    assert "A.kept.txt" in caplog.text


def test_what_is_kept_replaces_nothing_that_was_kept_before(vault, saved_before_each_exchange):
    (vault.root / "articles" / "A.kept.txt").write_text("kept before")
    there = saved_before_each_exchange(*[f"edit {number}" for number in range(20)])

    assert there["A.kept.txt"] == "kept before"
    assert there["A.kept-2.txt"].startswith("edit")


def test_an_edit_that_cannot_be_exchanged_back_replaces_no_later_one(vault, put, monkeypatch):
    put("A", "read")
    known, path = vault.read("A").blob_hash, vault.root / "articles" / "A.md"

    def take_out(draft, path):
        put("A", "second")
        swap(draft, path)
        monkeypatch.setattr(placing, "exchange", refuse)
        return True

    def refuse(draft, path):
        save(path, "third")
        return False

    monkeypatch.setattr(placing, "exchange", take_out)
    with pytest.raises(ChangedMeanwhile):
        write_article(vault, "A", "new", expected=known)

    there = {file.name: file.read_text() for file in path.parent.iterdir()}
    assert there == {"A.md": "third", "A.kept.txt": "second"}


def test_a_note_goes_below_what_a_person_writes_meanwhile(vault, at_the_last_moment):
    page = vault.root / "Talk" / "A.md"
    page.write_text("mine\n")
    edits = iter(["mine\nmore\n"])
    at_the_last_moment(lambda: [page.write_text(text) for text in edits])

    add_note(vault, "A", "a note")

    assert page.read_text() == "mine\nmore\n- a note\n"


def test_a_talk_page_made_meanwhile_is_kept(vault, at_the_last_moment):
    page = vault.root / "Talk" / "A.md"
    edits = iter(["mine\n"])
    at_the_last_moment(lambda: [page.write_text(text) for text in edits])

    add_note(vault, "A", "a note")

    assert page.read_text() == "mine\n- a note\n"


def test_a_disk_without_links_takes_new_articles_and_keeps_those_there(vault, put, monkeypatch):
    def refuse(draft, path, **options):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write_article(vault, "A", "new", expected=None)
    assert vault.read("A").text == "new"

    monkeypatch.setattr(os, "fsync", lambda descriptor: put("B", "by hand"))
    with pytest.raises(ChangedMeanwhile):
        write_article(vault, "B", "new", expected=None)
    assert vault.read("B").text == "by hand"


def test_nothing_is_written_in_place_of_what_the_listing_does_not_show(vault, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    link = vault.root / "articles" / "A.md"
    link.symlink_to(secret)

    with pytest.raises(ChangedMeanwhile):
        write_article(vault, "A", "new", expected=None)

    assert (link.is_symlink(), secret.read_text()) == (True, "secret")


@pytest.mark.parametrize("folder", ["articles", "Talk"])
def test_nothing_is_written_to_a_folder_that_leads_out_of_the_vault(vault, tmp_path, folder):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "A.md").write_text("mine")
    (vault.root / folder).rmdir()
    (vault.root / folder).symlink_to(outside)

    with pytest.raises(NotWritten, match=f"{folder}/ leads out of the vault"):
        if folder == "Talk":
            add_note(vault, "A", "a note")
        else:
            write_article(vault, "A", "new", expected=None)

    assert [(p.name, p.read_text()) for p in outside.iterdir()] == [("A.md", "mine")]
