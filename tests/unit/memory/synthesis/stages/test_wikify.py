"""Sections are tightened once, nothing of them is lost, and splits are only proposed."""

import pytest

from memory.article.check import check
from memory.synthesis.models import ArticleState
from memory.synthesis.parts import LEAD, parts_of
from memory.synthesis.stages import wikify as stage
from memory.synthesis.stages.wikify import wikify
from memory.synthesis.tidiness import earlier_hash

FACTS = [" ".join(f"{word}{number}" for word in "abcdefgh") + "." for number in range(40)]


@pytest.fixture
def tidy(memory, make_run):
    """Call with what the model makes of a section: Atlas has a long one by then."""
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", f"Atlas runs on MySQL. {' '.join(FACTS)}", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=2)
    memory.rules._section = lambda prompt: (
        " ".join(FACTS) if "a1 b1" in prompt else "Atlas serves maps."
    )
    asked = []

    def run(rewrite):
        def answer(prompt):
            asked.append(prompt)
            if prompt.startswith("Write the section below again"):
                return rewrite(prompt.partition("Section:\n")[2])
            return "yes" if prompt.startswith("Below is a section of an article. Is it") else ""

        wikify(make_run(memory, answer))
        return asked

    unpatched = memory.rules._answers
    memory.rules._answers = lambda: {
        **unpatched(),
        "Write the section below again": lambda prompt: "",
    }
    memory.run()
    return run


def section_of(memory):
    article = memory.article("Atlas")
    assert check(article) == []
    return article.body_of(article.section("Platform"))


def forget_what_is_tidy():
    ArticleState.objects.update(wikified={})


def test_a_shorter_section_is_taken_and_its_citation_stays(memory, tidy):
    forget_what_is_tidy()

    tidy(lambda section: " ".join(FACTS[:35]))

    assert "h34." in section_of(memory)
    assert "h39." not in section_of(memory)
    assert "[^1]" in section_of(memory)


def test_a_section_that_lost_too_much_is_not(memory, tidy):
    before = section_of(memory)
    forget_what_is_tidy()

    tidy(lambda section: " ".join(FACTS[:20]))

    assert section_of(memory) == before


def test_what_was_tidied_is_not_asked_about_again(memory, tidy):
    forget_what_is_tidy()
    tidy(lambda section: " ".join(FACTS[:35]))

    asked = len(tidy(lambda section: section))

    assert len(tidy(lambda section: section)) == asked


def test_a_long_section_about_a_thing_of_its_own_is_proposed_on_the_talk_page(memory, tidy):
    forget_what_is_tidy()

    tidy(lambda section: section)
    forget_what_is_tidy()
    tidy(lambda section: section)

    talk = (memory.root / "Talk" / "Atlas.md").read_text()
    assert talk.count("Platform: could be an article of its own") == 1


def looked_at_by_an_earlier_version(memory):
    for state in ArticleState.objects.all():
        parts = parts_of(memory.article(state.article))
        state.wikified = {n: earlier_hash(part) for n, part in parts.items()}
        state.save()


def test_what_an_earlier_version_tidied_is_not_tidied_again(memory, tidy):
    looked_at_by_an_earlier_version(memory)

    asked = tidy(lambda section: section)

    assert not [p for p in asked if "Write the section below again" in p or "Is it about" in p]
    assert len(asked) == 1  # what the header is made of counts in another way than then
    assert len(tidy(lambda section: section)) == 1


def test_headers_of_an_earlier_version_are_made_anew_a_few_at_a_time(memory, make_run, monkeypatch):
    monkeypatch.setattr(stage, "MOST_HEADERS", 2)
    memory.rules.names = names = ["Atlas", "Borealis", "Cobalt", "Dune", "Ember"]
    for number, name in enumerate(names * 2):
        memory.chats.tell(f"chat-{number}", f"{name} has part {number}", "Noted.", day=number)
    memory.run()
    looked_at_by_an_earlier_version(memory)
    new = ArticleState.objects.get(pk="Ember")
    new.wikified[LEAD] = "of other words"
    new.save()

    def asked():
        prompts = []
        wikify(make_run(memory, lambda prompt: prompts.append(prompt) or ""))
        return [name for name in names if any(f"Subject: {name}\n" in p for p in prompts)]

    assert asked() == ["Atlas", "Borealis", "Ember"]
    assert "the next one goes on" in str(memory.events)
    assert asked() == ["Cobalt", "Dune"]
    assert asked() == []
