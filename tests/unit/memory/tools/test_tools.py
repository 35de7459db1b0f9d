"""What the memory's tools answer, how they fail, and how little they say."""

import json
import random
import statistics

import jsonschema
import pytest

from memory.tools.available import available
from memory.tools.base import LONGEST_ANSWER, ToolFailed
from memory.tools.skill import HINT
from tests.plugins.articles import WORDS

ADA = """\
# Ada Lovelace

*Part of a series on [[Computing]].*

```info
kind: person
type: Mathematician
aliases: Ada, the Countess
born: 1815
```

She wrote the first program.

categories: [[Category:People]]

## Work

{filler}

### The notes

Notes on [[Charles_Babbage]]'s engine.
""".replace("{filler}", "\n".join(f"Sentence number {n} about her work." for n in range(80)))
BABBAGE = """\
# Charles Babbage

```info
type: Mathematician
```

He built [[Ada_Lovelace|Ada]] an engine.

categories: [[Category:People]], [[Category:Engineers]]
"""


@pytest.fixture
def ask(vault):
    """Call a tool by name with arguments, which must fit its schema."""
    tools = {tool.name: tool for tool in available()}

    def call(name, **args):
        jsonschema.validate(args, tools[name].parameters)
        return tools[name].run(args)

    return call


@pytest.fixture
def two(put):
    put("Ada_Lovelace", ADA)
    put("Charles_Babbage", BABBAGE)
    put("Countess", "# Countess\n\n*Redirects to [[Ada_Lovelace]]*\n")


def test_there_are_twelve_tools_once_there_is_a_vault(vault):
    tools = available()

    assert [tool.name for tool in tools] == [
        *("memory_resolve", "memory_read", "memory_section", "memory_infobox", "memory_links"),
        *("memory_category", "memory_list", "memory_search", "memory_status"),
        *("reference_search", "reference_read", "reference_list"),
    ]
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.parameters)


def test_there_are_none_before(no_vault):
    assert available() == []


def test_any_name_of_an_article_leads_to_it(ask, two):
    line = "Ada_Lovelace (Mathematician): She wrote the first program."

    for surface in ("Ada Lovelace", "ada_lovelace", "ADA", "The countess", "Countess"):
        assert ask("memory_resolve", surface=surface) == line


def test_a_name_that_is_almost_right_is_met_with_similar_ones(ask, two):
    told = ask("memory_resolve", surface="babbage")

    assert told == (
        "No article is named 'babbage'. Similar names:\n"
        "Charles_Babbage (Mathematician): He built [[Ada_Lovelace|Ada]] an engine."
    )
    assert "memory_search" in ask("memory_resolve", surface="Nobody")


def test_a_large_article_is_told_in_short_and_read_by_section(ask, two):
    told = ask("memory_read", stem="Ada_Lovelace")

    assert told == (
        "# Ada Lovelace\n\nShe wrote the first program.\n\n"
        "Sections, to read with memory_section:\n"
        "- work (85 lines)\n  - the-notes (2 lines)"
    )
    assert ask("memory_section", stem="Ada_Lovelace", anchor="the-notes") == (
        "### The notes\n\nNotes on [[Charles_Babbage]]'s engine."
    )
    assert ask("memory_section", stem="Ada_Lovelace", anchor="lead").startswith("She wrote")


def test_a_small_article_is_read_whole_and_a_middling_one_if_that_is_asked_for(ask, two, put):
    assert ask("memory_read", stem="Charles Babbage") == BABBAGE
    assert ask("memory_read", stem="ada", force=True) == ADA
    put("Huge", "# Huge\n\nLead.\n\n## Part\n\n" + "word " * 4000)

    assert "Sections, to read" in ask("memory_read", stem="Huge", force=True)
    assert ask("memory_section", stem="Huge", anchor="part").endswith("(cut here)")


def test_facts_and_links_are_lines(ask, two):
    assert ask("memory_infobox", stem="Ada_Lovelace") == (
        "kind: person\ntype: Mathematician\naliases: Ada, the Countess\nborn: 1815"
    )
    assert ask("memory_links", stem="Ada_Lovelace") == (
        "Leads to: Computing, Charles_Babbage\nLinked from: Charles_Babbage, Countess"
    )


def test_groups_are_named_and_then_narrowed_down(ask, two):
    assert ask("memory_category") == (
        "category: People (2), Engineers (1)\ntype: Mathematician (2)\nseries: Computing (1)"
    )
    assert ask("memory_category", category="people", series="computing").startswith("Ada_Lovelace")
    both = ask("memory_category", type="Mathematician").splitlines()
    assert [line.split(" ")[0] for line in both] == ["Ada_Lovelace", "Charles_Babbage"]
    with pytest.raises(ToolFailed, match="Without arguments"):
        ask("memory_category", category="Ships")


def test_search_tells_pages_and_places(ask, two):
    assert ask("memory_search", query="engine notes", limit=2) == (
        "Ada_Lovelace (engine, notes; 3 in all)\nCharles_Babbage (engine; 2 in all)\n\n"
        "Ada_Lovelace#the-notes: Notes on [[Charles_Babbage]]'s engine.\n"
        "Ada_Lovelace#the-notes: ### The notes"
    )
    assert "Nothing holds" in ask("memory_search", query="submarine")


def test_the_manual_is_listed_searched_and_read(ask):
    assert ask("reference_list").splitlines() == [
        "Reference/mlxsite_README: mlxsite",
        "Reference/mlxsite_Server_API: HTTP API",
    ]
    assert "Reference/mlxsite_Server_API#memory" in ask("reference_search", query="lantern")
    for name in ("mlxsite_Server_API", "Reference/mlxsite_Server_API"):
        assert "lantern route" in ask("reference_read", article=name)
    assert ask("reference_read", article="mlxsite_Server_API", section="Memory") == (
        "## Memory\n\nThe lantern route."
    )


def test_status_tells_how_to_read(ask, two):
    told = ask("memory_status")

    assert told.startswith("3 articles, 2 pages of reference.")
    assert "memory_resolve" in told
    assert ask("memory_list") == "Ada_Lovelace\nCharles_Babbage\nCountess"


@pytest.mark.parametrize(
    ("name", "args", "told"),
    [
        ("memory_resolve", {}, "surface is required"),
        ("memory_read", {"stem": "Nobody"}, "memory_resolve"),
        ("memory_read", {"stem": "../outside"}, "memory_resolve"),
        ("memory_read", {"stem": ["a"]}, "has to be text"),
        ("memory_section", {"stem": "Ada_Lovelace", "anchor": "none"}, "work, the-notes"),
        ("memory_section", {"stem": "Ada_Lovelace"}, "anchor is required"),
        ("memory_links", {"stem": "  "}, "stem is required"),
        ("reference_read", {"article": "none"}, "reference_list"),
        ("reference_search", {"query": None}, "query is required"),
    ],
)
def test_what_cannot_be_answered_says_what_would_help(two, name, args, told):
    tool = next(tool for tool in available() if tool.name == name)

    with pytest.raises(ToolFailed, match=told):
        tool.run(args)


@pytest.mark.parametrize("limit", [0, -5, "7", None, True, float("nan"), float("inf"), 10**30])
def test_a_limit_of_any_kind_is_met_with_a_short_answer(two, limit):
    tool = next(tool for tool in available() if tool.name == "memory_search")

    assert len(tool.run({"query": "engine", "limit": limit})) < LONGEST_ANSWER


def test_hostile_articles_break_no_tool(ask, put):
    put("Hostile", b"# \xff\n\n```info\naliases: ,,\n" + b"[[" * 2000 + b"\n## \n## x\n" * 400)
    put("Empty", "")

    for stem in ("Hostile", "Empty"):
        for name in ("memory_read", "memory_links", "memory_infobox"):
            assert len(ask(name, stem=stem)) <= LONGEST_ANSWER
    assert ask("memory_category")
    assert ask("memory_resolve", surface="hostile")


def test_a_question_costs_less_than_five_kilobytes_on_average(ask, many):
    stems = many(300)
    rng = random.Random(5)
    costs = []
    for _ in range(60):
        stem = rng.choice(stems)
        answers = [
            ask("memory_resolve", surface=stem.replace("_", " ")),
            ask("memory_read", stem=stem),
            rng.choice(
                [
                    lambda s=stem: ask("memory_infobox", stem=s),
                    lambda s=stem: ask("memory_links", stem=s),
                    lambda: ask("memory_search", query=f"{rng.choice(WORDS)} {rng.choice(WORDS)}"),
                    lambda: ask("memory_category"),
                    lambda: ask("memory_category", category="Other"),
                    lambda: ask("memory_list"),
                    lambda: ask("memory_status"),
                ]
            )(),
        ]
        costs.append(sum(len(answer.encode()) for answer in answers))

    assert statistics.mean(costs) < 5000
    assert max(costs) < 2 * LONGEST_ANSWER


def test_what_every_prompt_carries_is_small(vault):
    declared = json.dumps([[t.name, t.description, t.parameters] for t in available()])

    assert len(HINT) < 300 and "\n" not in HINT
    assert len(declared) < 4000


BIG = "x" * 100_000
LARGE = f"# Large\n\n```info\ntype: {BIG}\n```\n\nLead.\n\ncategories: [[Category:{BIG}]]\n"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("memory_resolve", {"surface": "Large"}),
        ("memory_resolve", {"surface": BIG}),
        ("memory_category", {}),
        ("memory_category", {"type": BIG}),
        ("memory_category", {"type": BIG[1:]}),
        ("memory_list", {}),
        ("memory_links", {"stem": "Links"}),
        ("memory_read", {"stem": "Large"}),
        ("memory_read", {"stem": BIG}),
        ("memory_section", {"stem": "Large", "anchor": "none"}),
        ("memory_infobox", {"stem": "Large"}),
        ("memory_search", {"query": "lead", "limit": 20}),
        ("reference_list", {}),
        ("reference_read", {"article": BIG}),
    ],
)
def test_no_article_and_no_argument_makes_an_answer_longer_than_the_budget(
    vault, put, ask, name, args
):
    put("Large", f"{LARGE}\n## {BIG}\n\nText.\n")
    put("Links", "# Links\n\n" + " ".join(f"[[{'L' * 150}{n}]]" for n in range(100)))
    for number in range(60):
        put(f"{'n' * 190}{number:02}", "lead " * 300)
    (vault.root / "Reference" / "Large.md").write_text(f"# {BIG}\n")

    try:
        answer = ask(name, **args)
    except ToolFailed as failed:
        answer = str(failed)

    assert len(answer) <= LONGEST_ANSWER
