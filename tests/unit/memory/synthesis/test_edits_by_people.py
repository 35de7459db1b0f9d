"""What a person writes into articles is there after the next runs."""

import pytest


@pytest.fixture
def atlas(memory):
    """A memory with an article about Atlas, which leads to Borealis."""
    memory.rules.names = ["Atlas", "Borealis"]
    memory.chats.tell("one", "Atlas runs on MySQL with Borealis", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves the maps of Borealis", "I see.", day=2)
    memory.run()
    return memory


def append(memory, text):
    path = memory.root / "articles" / "Atlas.md"
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
