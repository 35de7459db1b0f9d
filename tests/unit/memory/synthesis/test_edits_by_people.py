"""What a person writes into articles is there after the next runs."""

import pytest

from memory.synthesis.errors import Stopped
from memory.synthesis.models import ChunkSection, Outcome, Subject
from memory.synthesis.pages import Pages
from memory.synthesis.stages.section_route import route_sections
from memory.vault import Vault


@pytest.fixture
def atlas(memory):
    """A memory with an article about Atlas, which leads to Borealis."""
    memory.rules.names = ["Atlas", "Borealis"]
    memory.chats.tell("one", "Atlas runs on MySQL with Borealis", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves the maps of Borealis", "I see.", day=2)
    memory.run()
    return memory


def append(memory, text, stem="Atlas"):
    path = memory.root / "articles" / f"{stem}.md"
    path.write_text(path.read_text() + text)


def test_text_below_a_second_title_stays(atlas):
    mine = "\n# Diary\n\nMy own words.\n\n## Trip\n\nWent.\n"
    append(atlas, mine)
    atlas.chats.tell("three", "Atlas runs on Postgres since May", "Good.", day=10)

    atlas.run()

    assert atlas.articles()["Atlas"].endswith(mine)
    assert "Postgres" in atlas.articles()["Atlas"]


@pytest.mark.parametrize(
    "mine",
    [
        "My guide.\n\n- [[Borealis]] (the hikers; phone 555-1234)",
        "- [[Borealis]] (the hikers)",
        "- [[Borealis|those who hike]]",
        "* [[Borealis]]\n  and what they are\n* https://example.org/",
        "- [[Borealis]]\n- [[Borealis#History]]",
        "### Hikers\n\n- [[Borealis]]",
        "```\n- [[Borealis]]\n```",
        "```\n- [[Borealis]]",
        "My guide.",
    ],
)
def test_a_see_also_that_a_person_wrote_only_grows(atlas, mine):
    atlas.edit("Atlas", "- [[Borealis]]", mine)

    atlas.run()
    atlas.run()

    see_also = atlas.article("Atlas").block("see-also")
    text = atlas.article("Atlas").body_of(see_also)
    assert mine in text
    assert text.count("\n- [[Borealis]]\n") <= 1 + mine.count("\n- [[Borealis]]\n")


def test_an_article_that_a_person_does_not_list_is_added_to_their_see_also(atlas):
    atlas.edit("Atlas", "- [[Borealis]]", "My guide.")

    atlas.run()

    assert "## See also\n\nMy guide.\n\n- [[Borealis]]\n\n##" in atlas.articles()["Atlas"]


def test_an_article_that_is_a_link_is_left_alone_and_ends_no_run(atlas):
    link = atlas.root / "articles" / "Borealis.md"
    link.unlink()
    (atlas.root / "Talk" / "kept.md").parent.mkdir(exist_ok=True)
    (atlas.root / "Talk" / "kept.md").write_text("# Borealis\n\nMy own.\n")
    link.symlink_to("../Talk/kept.md")
    atlas.chats.tell("three", "Borealis is a group of hikers", "Good.", day=10)

    atlas.run()

    assert link.is_symlink()
    assert link.read_text() == "# Borealis\n\nMy own.\n"
    assert atlas.events[-1]["type"] == "summary"


def test_an_article_that_is_brought_back_gets_all_that_was_said_meanwhile(atlas):
    path = atlas.root / "articles" / "Atlas.md"
    text = path.read_text()
    path.unlink()
    atlas.chats.tell("three", "Atlas runs on Postgres since May", "Good.", day=3)
    atlas.run()
    assert "Atlas" not in atlas.articles()

    path.write_text(text)
    atlas.chats.tell("four", "Atlas costs nine euros", "Good.", day=4)
    atlas.run()

    assert "Postgres" in atlas.articles()["Atlas"]
    assert "nine euros" in atlas.articles()["Atlas"]
    assert not Subject.objects.get(pk="atlas").is_closed


def test_what_waits_for_a_section_waits_as_long_as_its_article_is_away(atlas):
    path = atlas.root / "articles" / "Atlas.md"
    text = path.read_text()
    waiting = ChunkSection.objects.filter(article="Atlas", section="Purpose")
    waiting.update(outcome=Outcome.WAITING)
    path.unlink()
    for _ in range(4):
        atlas.run()
    assert waiting.get().attempts == 0

    path.write_text(text)
    atlas.run()

    assert waiting.get().outcome in (Outcome.KNOWN, Outcome.WRITTEN)


def test_an_article_whose_file_cannot_be_read_as_text_is_not_closed(atlas):
    path = atlas.root / "articles" / "Atlas.md"
    target = atlas.root.parent / "elsewhere.md"
    path.rename(target)
    path.symlink_to(target)  # out of the vault: no listing shows it
    atlas.chats.tell("three", "Atlas runs on Postgres since May", "Good.", day=3)

    atlas.run()

    assert not Subject.objects.get(pk="atlas").is_closed
    assert "Postgres" not in target.read_text()


def test_a_note_that_begins_like_an_earlier_one_is_kept_and_the_same_one_is_not(memory):
    pages = Pages(memory.vault)

    for line in ("Lead: Atlas runs on Postgres", "Lead: Atlas runs", "Lead: Atlas  runs"):
        pages.note("Atlas", line)

    notes = (memory.root / "Talk" / "Atlas.md").read_text().splitlines()[2:]
    assert notes == ["- Lead: Atlas runs on Postgres", "- Lead: Atlas runs"]


@pytest.mark.parametrize(
    "flaw", ["{{note}}[^9]\n", "```\nnot closed\n", "## See also\n\n- [[X]]\n"]
)
def test_a_flaw_that_a_person_left_keeps_nothing_from_being_captured(memory, flaw):
    memory.rules.names = ["Quill", "Borealis"]
    memory.chats.tell("one", "Quill is a pen", "Noted.", day=1)
    memory.run()
    append(memory, "\n" + flaw, "_captured")
    memory.chats.tell("two", "Borealis is a group", "Good.", day=2)

    memory.run()

    assert "Borealis is a group" in memory.articles()["_captured"]
    assert memory.articles()["_captured"].endswith(flaw)


def test_articles_that_are_there_are_looked_for_once(memory, make_run, monkeypatch):
    for number in range(20):
        (memory.root / "articles" / f"Thing_{number}.md").write_text("# Thing\n")
        Subject.objects.create(key=f"thing {number}", title="Thing", article=f"Thing_{number}")
    Subject.objects.create(key="gone", title="Gone", article="Gone")
    listed, articles = [], Vault.articles
    monkeypatch.setattr(Vault, "articles", lambda vault: listed.append(1) or articles(vault))

    route_sections(make_run(memory, memory.rules))

    assert len(listed) == 2  # all of them, and once more for the one that is missing
    assert [s.key for s in Subject.objects.filter(is_closed=True)] == ["gone"]


def test_a_run_can_end_between_two_articles_that_were_deleted(memory, make_run):
    for number in range(20):
        Subject.objects.create(key=f"thing {number}", title="Thing", article=f"Thing_{number}")
    run, pauses = make_run(memory, memory.rules), iter(range(3))

    def pause():
        if next(pauses, None) is None:
            raise Stopped("told to stop")

    run.pause = pause
    with pytest.raises(Stopped):
        route_sections(run)

    assert Subject.objects.filter(is_closed=True).count() == 3
