"""What pages of policy say."""

import pytest

from memory.setup.setup import META_PAGES
from memory.synthesis.briefs import LONGEST, brief, definitions_of, points_of, rows_of

MANY_WORDS = " ".join(f"of place{number}" for number in range(40))
PAGE = """# Page

Told in no list.

- One: the  first
* [[Two]]: the second
1. three
-
- Four:
"""


def test_points_are_those_of_the_lists():
    assert points_of(PAGE) == ["One: the first", "[[Two]]: the second", "three", "Four:"]


def test_definitions_have_a_plain_name():
    assert definitions_of(PAGE) == {"One": "the first", "three": "", "Four": ""}


@pytest.mark.parametrize("stem", META_PAGES)
def test_each_page_that_a_vault_begins_with_says_something_short(vault, stem):
    page = vault.meta(stem)

    assert points_of(page)
    assert len(brief(page)) <= LONGEST


def test_rows_of_a_table_say_what_their_first_cell_is():
    page = "| kind | Fields |\n| --- | :-- |\n| `thing` | type, made by |\n|  x | y | z |\n"
    page += "\n| a |\n| b |\n"

    assert rows_of(page) == ["kind thing: type, made by.", "kind x: y, z.", "a b: ."]
    assert brief(page + "- point\n").startswith("kind thing: type, made by. kind x")


@pytest.mark.parametrize(
    ("policy", "begins"),
    [
        ("Infobox_Schemas", {"Fill in a short table"}),
        ("Article_Conventions", {"Write a heading of on"}),
        ("Editorial_Guidelines", {"Write two to four sen", "Write the section bel"}),
        ("Summary_Style", {"Write one or two sent", "Below are the lead of"}),
        ("Chunking", {"The numbered messages"}),
        ("Entities", {"Name the things that "}),
        ("Bucketing", {"Below are buckets, ea"}),
    ],
)
def test_what_a_page_says_is_told_where_its_matter_is_asked(memory, policy, begins):
    memory.write_policy("Buckets", "- making: what the user makes")
    memory.write_policy(policy, "# Page\n\n- Mind the lanterns.\n")
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", "Atlas runs on MySQL for now", "Noted.", day=1)
    memory.chats.tell("two", f"Atlas serves maps {MANY_WORDS}", "I see.", day=2)
    memory.run()
    memory.chats.tell("three", "Atlas runs on Postgres since May", "Good.", day=3)

    memory.run()

    told = {p[:21] for p in memory.rules.prompts if "Mind the lanterns." in p}
    assert told == begins
