"""Names that a model takes from a chunk."""

import pytest

from memory.synthesis.models import ChunkBucket
from memory.synthesis.stages.extract import parse

SAID = "we moved atlas to postgres because anna wants graphs; it is 12 years old"


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("Atlas\nPostgres\nAnna", ["Atlas", "Postgres", "Anna"]),
        ('1. "Atlas"\n- **Postgres**\n* Anna.', ["Atlas", "Postgres", "Anna"]),
        ("NONE", []),
        ("Grafana\nAtlas", ["Atlas"]),
        ("Atlas\nthe atlas", ["Atlas"]),
        ("user\nassistant\n12", []),
        ("we moved atlas to postgres because anna", []),
    ],
)
def test_names_that_stand_in_the_chunk_are_kept(answer, names):
    assert parse(answer, SAID) == names


def test_a_chunk_goes_into_the_buckets_that_the_user_defines(memory):
    memory.write_policy("Buckets", "# Buckets\n\n- making: what the user makes\n- home: friends\n")
    memory.chats.tell("one", "Atlas runs on MySQL", "Noted.", day=1)
    memory.chats.tell("two", "Quill is a pen", "I see.", day=2)

    memory.run()

    sorted_ones = ChunkBucket.objects.values_list("bucket_id", "chunk__label")
    assert list(sorted_ones) == [("making", "Atlas runs on MySQL")]
    asked = [p for p in memory.rules.prompts if p.startswith("Below are buckets")]
    assert (
        "- making: what the user makes\n- home: friends\n\nConversation:\nuser: Atlas" in asked[0]
    )


def test_what_is_ignored_is_not_sorted_either(memory):
    memory.write_policy("Buckets", "- making: what the user makes")
    memory.write_policy("Topics_to_Ignore", "- MySQL")
    memory.chats.tell("one", "Atlas runs on MySQL", "Noted.", day=1)

    memory.run()

    assert not ChunkBucket.objects.exists()
    assert not [p for p in memory.rules.prompts if p.startswith("Below are buckets")]
