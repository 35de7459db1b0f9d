"""Categories that a model chooses among those that the user defines."""

import pytest

from memory.article.check import check
from memory.catalog import Catalog
from memory.synthesis.categories import MOST
from memory.synthesis.choices import read_choices
from memory.tools.available import available

DEFINED = {"Software": "programs", "Places": "where things are", "Plans and decisions": "what next"}
PAGE = (
    "# Category Definitions\n\nA line is `Name: what`.\n\n- Software: programs\n- Places: where\n"
)


@pytest.fixture
def atlas(memory):
    """A memory that was told of Atlas and has not run yet."""
    memory.write_policy("Category_Definitions", PAGE)
    memory.rules.names = ["Atlas"]
    memory.chats.tell("one", "Atlas runs on MySQL for now", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves maps", "I see.", day=2)
    return memory


def tell_more(memory):
    memory.chats.tell("three", "Atlas runs on Postgres since May", "Good.", day=10)


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ("Software", ["Software"]),
        ("- places\n- Software: it is one", ["Places", "Software"]),
        ("Software, Plans and Decisions.", ["Software", "Plans and decisions"]),
        ("NONE", []),
        ("Hardware\nIt is about software", []),
        ("", []),
    ],
)
def test_only_what_is_defined_is_chosen(answer, chosen):
    assert read_choices(answer, DEFINED, MOST) == chosen


def test_an_article_is_in_a_few_categories_only():
    many = {f"C{number}": "" for number in range(9)}

    assert len(read_choices("\n".join(many), many, MOST)) == MOST


def test_articles_get_categories_by_which_they_are_found(atlas):
    atlas.run()

    article = atlas.article("Atlas")
    tools = {tool.name: tool for tool in available(Catalog(atlas.vault))}
    assert article.categories == ("Software",)
    assert check(article) == []
    assert "Atlas" in tools["memory_category"].run({"category": "software"})
    asked = [p for p in atlas.rules.prompts if p.startswith("Below are categories")]
    assert "- Software: programs\n- Places: where\n\nSubject: Atlas\nText: Atlas runs" in asked[0]


def test_categories_follow_what_the_article_says(atlas):
    atlas.run()
    tell_more(atlas)

    atlas.run(lambda p: "Places" if p.startswith("Below are categories") else atlas.rules(p))

    assert atlas.article("Atlas").categories == ("Places",)


@pytest.mark.parametrize(
    "mine", ["categories: [[Category:Mine]]", "categories: [[Category:Places]]"]
)
def test_categories_that_a_person_chose_stay(atlas, mine):
    atlas.run()
    atlas.edit("Atlas", "categories: [[Category:Software]]", mine)
    tell_more(atlas)

    atlas.run()

    assert mine in atlas.articles()["Atlas"]
    assert "Postgres" in atlas.articles()["Atlas"]


def test_a_model_that_finds_none_leaves_those_there(atlas):
    atlas.run()
    tell_more(atlas)

    atlas.run(lambda p: "NONE" if p.startswith("Below are categories") else atlas.rules(p))

    assert atlas.article("Atlas").categories == ("Software",)


def test_without_a_page_of_definitions_nothing_is_asked(atlas):
    (atlas.root / "Meta" / "Category_Definitions.md").unlink()

    atlas.run()

    assert atlas.article("Atlas").category_line is None
    assert not [p for p in atlas.rules.prompts if p.startswith("Below are categories")]
