"""Whole runs: what becomes of conversations, in one run and over several."""

import os

import pytest

from memory import git
from memory.article.check import check
from memory.errors import NotWritten
from memory.setup.renewal import SHIPPED, page_bytes
from memory.synthesis.models import ChunkSection, Outcome, Subject
from memory.vault import blob_hash


def tell_of_atlas(memory):
    memory.rules.names = ["Atlas", "Borealis", "Quill"]
    memory.chats.tell("one", "Atlas runs on MySQL for now", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves the maps of Borealis", "I see.", day=2)
    memory.chats.tell("three", "Borealis is a group of hikers", "Nice.", day=3)
    memory.chats.tell("four", "Quill is a pen", "Good.", day=4)


def tell_of_forty(memory):
    things = ["Atlas", "Borealis", "Cobalt", "Dune", "Ember", "Fjord", "Grove", "Harbour"]
    memory.rules.names = things
    for number in range(40):
        thing, other = things[number % 8], things[(number * 3 + 1) % 8]
        text = f"{thing} uses part {number} together with {other}"
        memory.chats.tell(f"chat-{number}", text, "Understood.", day=number)


def definitions_of(memory, stem):
    return memory.article(stem).footnotes.definitions


def require_sound(memory):
    for stem in memory.articles():
        article = memory.article(stem)
        assert check(article) == []
        assert article.footnotes.is_bijection


def test_forty_conversations_become_sound_articles_that_link_and_cite_them_all(memory):
    tell_of_forty(memory)

    memory.run()

    assert len(memory.articles()) == 8
    require_sound(memory)
    for stem in memory.articles():
        targets = {link.stem for link in memory.article(stem).links}
        assert targets
        assert targets <= set(memory.articles())
    cited = {d.citation.text for s in memory.articles() for d in definitions_of(memory, s)}
    assert len(cited) == 40
    assert not ChunkSection.objects.exclude(outcome=Outcome.WRITTEN).exists()


def test_a_second_run_without_news_asks_nothing_and_changes_nothing(memory):
    tell_of_atlas(memory)
    memory.run()
    before, asked = memory.articles(), len(memory.rules.prompts)

    run = memory.run()

    assert memory.articles() == before
    assert len(memory.rules.prompts) == asked
    assert run.changes == 0


def test_no_question_holds_a_whole_article(memory):
    tell_of_atlas(memory)
    memory.run()
    memory.chats.tell("later", "Atlas runs on Postgres since May", "Yes.", day=50)

    memory.run()

    body = memory.article("Atlas").text
    assert "runs on" in body
    assert "serves" in body
    sections = [p for p in memory.rules.prompts if "Section:" in p]
    assert sections
    assert not [p for p in sections if "MySQL" in p and "serves the maps" in p]
    assert not [p for p in memory.rules.prompts if "## References" in p or "# Atlas" in p]


def test_what_came_up_once_is_captured_and_becomes_an_article_later(memory):
    tell_of_atlas(memory)
    memory.run()
    assert "## Quill" in memory.articles()["_captured"]
    assert "Quill" not in memory.articles()

    memory.chats.tell("five", "Quill writes in blue", "Fine.", day=5)
    memory.run()

    assert "Quill" not in memory.articles()["_captured"]
    assert "Quill writes in blue.[^" in memory.articles()["Quill"]
    require_sound(memory)


def test_a_section_whose_drafts_all_leak_is_tried_again_and_never_lost(memory):
    tell_of_atlas(memory)
    refused = iter(range(2))

    def answer(prompt):
        if "Heading: Platform" in prompt and next(refused, None) is not None:
            return "Sure, here is the section: it runs."
        return memory.rules(prompt)

    memory.run(answer)

    assert "Atlas runs on MySQL for now.[^" in memory.articles()["Atlas"]
    require_sound(memory)


def test_a_later_conversation_wins_and_history_tells_what_was_held_before(memory):
    tell_of_atlas(memory)
    memory.run()
    memory.chats.tell("five", "Atlas runs on Postgres since May", "Good.", day=10)

    memory.run()

    atlas = memory.article("Atlas")
    platform = atlas.body_of(atlas.section("Platform"))
    history = atlas.body_of(atlas.section("History"))
    assert "Postgres" in platform
    assert "MySQL" not in platform
    assert "2026-01-11" in history
    assert "MySQL" in history
    require_sound(memory)


def test_what_was_said_earlier_but_read_later_does_not_win(memory):
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", "Atlas runs on Postgres since May", "Noted.", day=10)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=11)
    memory.run()
    memory.chats.tell("older", "Atlas runs on MySQL for now", "Good.", day=1)

    memory.run()

    assert any("older and the section is right" in prompt for prompt in memory.rules.prompts)
    assert memory.article("Atlas").section("History") is None


def test_an_edit_between_two_stages_survives(memory):
    tell_of_atlas(memory)
    edited = []

    def edit_once():
        if memory.events[-1].get("stage") == "link" and not edited:
            memory.edit("Atlas", "Atlas runs on MySQL for now.", "Atlas runs on what I say.")
            edited.append(True)

    memory.run(pause=edit_once)
    memory.chats.tell("five", "Atlas runs on Postgres since May", "Good.", day=10)
    memory.run()

    assert edited
    assert "Atlas runs on what I say." in memory.articles()["Atlas"]
    assert "Postgres" in (memory.root / "Talk" / "Atlas.md").read_text()
    require_sound(memory)


def test_an_edit_while_the_model_writes_survives(memory):
    tell_of_atlas(memory)
    memory.run()
    memory.chats.tell("five", "Atlas runs on Postgres since May", "Good.", day=10)

    def answer(prompt):
        if (
            "Write the section again" in prompt
            and "I know better" not in memory.articles()["Atlas"]
        ):
            memory.edit("Atlas", "Atlas serves the maps", "I know better. Atlas serves the maps")
        return memory.rules(prompt)

    memory.run(answer)

    assert "I know better." in memory.articles()["Atlas"]
    assert "Postgres" in memory.articles()["Atlas"]


def test_an_article_that_a_person_deleted_stays_deleted(memory):
    tell_of_atlas(memory)
    memory.run()
    (memory.root / "articles" / "Atlas.md").unlink()

    memory.chats.tell("five", "Atlas runs on Postgres since May", "Good.", day=10)
    memory.run()

    assert "Atlas" not in memory.articles()
    assert Subject.objects.get(pk="atlas").is_closed


def test_an_article_that_a_person_wrote_gets_new_sections_and_keeps_its_own(memory):
    text = "# Atlas\n\nMy own words.\n\n## Platform\n\nAtlas runs on hope.\n"
    (memory.root / "articles" / "Atlas.md").write_text(text)
    tell_of_atlas(memory)

    memory.run()

    atlas = memory.articles()["Atlas"]
    assert "My own words." in atlas
    assert "## Platform\n\nAtlas runs on hope.\n" in atlas


def test_each_change_is_a_commit(memory):
    memory.git.init()
    tell_of_atlas(memory)

    run = memory.run()

    subjects = [r.subject for stem in memory.articles() for r in memory.history(stem)]
    assert len(subjects) == run.changes
    assert {"Create Atlas", "Link Atlas"} <= set(subjects)
    assert memory.git.changed("articles") == []


@pytest.mark.parametrize(
    ("is_foreign", "why"), [(True, "belongs to another user"), (False, "git is not installed")]
)
def test_a_run_says_once_why_a_history_is_not_kept(memory, monkeypatch, caplog, is_foreign, why):
    memory.git.init()
    if is_foreign:
        user = os.geteuid()
        monkeypatch.setattr("memory.ownership.os.geteuid", lambda: user + 1)
    else:
        monkeypatch.setattr(git, "git_path", lambda: None)
    tell_of_atlas(memory)

    memory.run()

    assert "Atlas" in memory.articles()
    told = [e["message"] for e in memory.events if why in str(e)]
    assert len(told) == len(caplog.records) == 1
    assert told[0].startswith("changes are written, and not committed")


def test_a_run_says_nothing_of_history_where_there_is_one_or_none(memory, caplog):
    memory.run()
    memory.git.init()
    memory.run()

    assert "not committed" not in str(memory.events) + caplog.text


def test_edits_of_a_person_get_a_commit_of_their_own(memory):
    memory.git.init()
    tell_of_atlas(memory)
    memory.run()
    memory.edit("Atlas", "Atlas serves the maps", "I know better. Atlas serves the maps")
    memory.chats.tell("five", "Atlas runs on Postgres since May", "Good.", day=10)

    memory.run()

    subjects = [revision.subject for revision in memory.history("Atlas")]
    assert "Keep edits of Atlas" in subjects
    at = subjects.index("Keep edits of Atlas")
    assert subjects[at - 1] == "Update Platform of Atlas"


def test_texts_of_a_chat_that_was_deleted_are_forgotten(memory):
    tell_of_atlas(memory)
    memory.run()
    del memory.chats.told["four"]

    memory.run()

    assert "Quill" not in memory.articles().get("_captured", "")


def test_a_run_brings_pages_up_to_date_that_nobody_edited(memory, monkeypatch):
    memory.write_policy("Buckets", "- old: of an earlier version")
    versions = (blob_hash(b"- old: of an earlier version"), *SHIPPED["Buckets.md"])
    monkeypatch.setitem(SHIPPED, "Buckets.md", versions)

    memory.run()

    assert (memory.root / "Meta" / "Buckets.md").read_bytes() == page_bytes("Buckets.md")
    assert "Meta/Buckets.md: brought up to date" in str(memory.events)


def test_a_run_goes_on_with_an_earlier_page_that_cannot_be_replaced(memory, monkeypatch):
    def refuse(vault):
        raise NotWritten("the disk refused")

    monkeypatch.setattr("memory.synthesis.pages.renew_pages", refuse)
    tell_of_atlas(memory)

    memory.run()

    assert "Atlas" in memory.articles()
    assert "the disk refused" in str(memory.events)
