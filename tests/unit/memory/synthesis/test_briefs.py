"""What pages of policy say."""

import pytest

from memory.setup.setup import META_PAGES
from memory.synthesis.briefs import LONGEST, brief, definitions_of, points_of

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
