"""Sections are tightened once, nothing of them is lost, and splits are only proposed."""

import pytest

from memory.article.check import check
from memory.synthesis.models import ArticleState
from memory.synthesis.stages.wikify import wikify

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
