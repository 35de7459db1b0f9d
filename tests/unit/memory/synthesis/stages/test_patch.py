"""What a chunk does to the article that it goes into."""

import pytest

from memory.synthesis.models import ArticleState, ChunkSection, Outcome
from memory.synthesis.stages import patch


@pytest.fixture
def atlas(memory):
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", "Atlas runs on MySQL for now", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=2)
    memory.run()
    return memory


def test_a_lead_that_was_written_to_is_still_brought_in_line_with_its_sections(atlas, make_run):
    ArticleState.objects.filter(pk="Atlas").update(needs_reconciling=True)
    chunk = ChunkSection.objects.first().chunk
    ChunkSection.objects.create(chunk=chunk, article="Atlas", section="", outcome=Outcome.WAITING)
    atlas.rules.prompts.clear()

    patch.patch(make_run(atlas, atlas.rules))

    leads = [p for p in atlas.rules.prompts if p.startswith("Below are the lead of an article")]
    assert "MySQL for now.[^" in atlas.article("Atlas").lead
    assert len(leads) == 1
