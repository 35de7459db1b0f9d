"""Fields that a model fills in, and headings that it finds."""

import pytest

from memory.article.article import Article
from memory.synthesis.headings import heading_of_label, read_heading
from memory.synthesis.infoboxes import ask_infobox, read_fields

TEXT = "Atlas draws maps for hikers and was begun in 2024-05 by Anna."


def test_facts_that_the_text_says_are_kept_and_made_up_ones_are_not():
    answer = "kind: Project\ntype: Map maker\nowner: Anna\nbegun: 2024-05\ncity: Paris\nx: N/A"

    assert read_fields(answer, TEXT) == {
        "kind": "project",
        "type": "map maker",
        "owner": "Anna",
        "begun": "2024-05",
    }


@pytest.mark.parametrize(
    "answer", ["kind: animal", "type: a very long kind of thing", "owner: [[Anna]]", "Anna", ""]
)
def test_what_is_no_field_is_left_out(answer):
    assert read_fields(answer, TEXT) == {}


ATLAS = """# Atlas

```info
kind: project
type: software
database: MySQL
owner: Anna
```

Atlas belongs to [[Anna|anna]].

## Platform

It was begun long ago. It runs on Postgres.

## History

- MySQL was in use before.
"""


def test_a_field_is_replaced_once_the_article_says_its_value_no_more(memory, make_run):
    answer = "kind: thing\ntype: tool\ndatabase: Postgres\nowner: Bert"

    after = ask_infobox(
        make_run(memory, lambda prompt: answer),
        "wikify",
        Article("Atlas", ATLAS),
        "It runs on Postgres. Bert was told of it.",
    )

    assert after.text == ATLAS.replace("database: MySQL", "database: Postgres")


def test_an_infobox_follows_a_later_conversation(memory):
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", "Atlas runs on MySQL for now", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=2)

    def answer(prompt):
        if prompt.startswith("Fill in a short table"):
            return f"database: {'Postgres' if 'Postgres' in prompt else 'MySQL'}"
        return memory.rules(prompt)

    memory.run(answer)
    assert memory.article("Atlas").infobox.get("database").value == "MySQL"
    memory.chats.tell("three", "Atlas runs on Postgres since May", "Good.", day=10)

    memory.run(answer)

    assert memory.article("Atlas").infobox.get("database").value == "Postgres"


@pytest.mark.parametrize(
    ("answer", "heading"),
    [
        ("platform", "Platform"),
        ('Heading: "Where it runs."', "Where it runs"),
        ("## Platform\nand more", "Platform"),
        ("References", None),
        ("History", None),
        ("Atlas", None),
        ("purpose", None),
        ("one two three four five six seven", None),
        ("[[Platform]]", None),
        ("", None),
    ],
)
def test_a_heading_is_short_new_and_none_that_means_something(answer, heading):
    assert read_heading(answer, "Atlas", ["Purpose"]) == heading


def test_without_a_heading_the_label_makes_one_unlike_the_others():
    label = "What Atlas is made of today and tomorrow"

    first = heading_of_label(label, [])

    assert first == "What Atlas is made of today"
    assert heading_of_label(label, [first]) == "What Atlas is made of today (2)"
