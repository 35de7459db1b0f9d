"""Names that a model takes from a chunk."""

import pytest

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
