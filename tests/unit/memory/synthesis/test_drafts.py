"""Drafts that leak are refused, asked for once more, and then given up."""

from types import SimpleNamespace

import pytest

from memory.synthesis.drafts import draft, leak
from memory.synthesis.question import Question
from memory.synthesis.run import Run

INSTRUCTIONS = "Write two sentences about the subject below and say only what is there."
QUESTION = Question("create", INSTRUCTIONS, "Subject: Atlas")


def ask(*answers):
    left = list(answers)
    asked = []

    def ask_all(questions):
        asked.extend(questions)
        return [left.pop(0) for _ in questions]

    run = Run(SimpleNamespace(brief=lambda policy: ""), ask_all, print)
    return draft(run, QUESTION), asked


@pytest.mark.parametrize(
    "text",
    [
        "Sure, here is the section.",
        "Here are two sentences: Atlas is a map.",
        "Two sentences about the subject below and say only this.",
        "# Atlas\n\nAtlas is a map.",
        "```\nAtlas\n```",
        "Atlas is a map.\n\n[^1]: a source",
        "Atlas was made by [name] in 2020.",
        "Atlas is a map.\nuser: and then?",
        "Atlas <|im_end|>",
        "it is a very big map and " * 4,
    ],
)
def test_what_is_no_prose_leaks(text):
    assert leak(text, INSTRUCTIONS) is not None


@pytest.mark.parametrize(
    "text", ["Atlas is a map of hills.", "Atlas runs on 2 < 3 rules.[^1]", "Here Atlas lives."]
)
def test_plain_prose_does_not(text):
    assert leak(text, INSTRUCTIONS) is None


def test_a_draft_that_leaks_is_asked_for_once_more_in_other_words():
    text, asked = ask("Sure, I can.", "Atlas is a map.")

    assert text == "Atlas is a map."
    assert len(asked) == 2
    assert asked[1].instructions != asked[0].instructions


def test_two_drafts_that_leak_are_given_up():
    text, asked = ask("Sure, I can.", "")

    assert text is None
    assert len(asked) == 2
