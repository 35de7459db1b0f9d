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
