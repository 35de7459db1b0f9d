"""What may not be written."""

import pytest

from memory.article.article import Article
from memory.synthesis.gates import refuse, refuse_lost_lines, refuse_words

CITED = "`conv:0a1b2c3d` (2026-01-02, chat) — what was said"
TEXT = f"""# Atlas

Atlas is a thing of many words, as this lead shows to everybody.

## Platform

Atlas runs on hope and on a little luck.[^1]

## References

[^1]: {CITED}
"""


def refused(after, before=TEXT):
    return refuse(Article("Atlas", before), Article("Atlas", after))


def test_an_article_may_stay_as_it_is():
    assert refused(TEXT) is None


def test_a_new_section_with_a_citation_may_be_added():
    after = TEXT.replace("## References\n", "## Purpose\n\nMaps.[^2]\n\n## References\n")
    after += f"[^2]: {CITED.replace('0a', 'ff')}\n"

    assert refused(after) is None


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (TEXT.replace("[^1]\n", "\n"), "nothing cites"),
        (TEXT.replace(f"[^1]: {CITED}\n", ""), "not defined"),
        (TEXT.replace("[^1]\n", "\n").replace(f"[^1]: {CITED}\n", ""), "citation is lost"),
        (TEXT.replace("0a1b2c3d", "ffffffff"), "citation is lost"),
        (TEXT.replace("# Atlas\n", "\n"), "no `# Title`"),
        (TEXT.replace("# Atlas\n", "# Other\n"), "not that of Atlas"),
        (TEXT.replace("## References", "## Sources"), "References are lost"),
        (TEXT.replace("of many words, as this lead shows to everybody", ""), "words are left"),
        (TEXT.replace("## Platform", "## See also\n\n- [[B]]\n\n## See also"), "more than once"),
        (TEXT.replace("hope", "hope\n\n```info\n"), "not closed"),
        (TEXT.replace("\nAtlas is", "\n## First\n\nAtlas is"), "no paragraph before"),
    ],
)
def test_what_loses_something_is_refused(after, reason):
    assert reason in refused(after)


def test_what_was_wrong_before_is_no_reason():
    broken = TEXT.replace("## References\n", "## References\n\n[^9]: nobody cites this\n")

    assert refused(broken.replace("hope", "great hope"), broken) is None


def test_seven_words_of_ten_are_enough():
    ten = "one two three four five six seven eight nine ten"

    assert refuse_words(ten, "one two three four five six seven") is None
    assert refuse_words(ten, "one two three four five six") is not None


def test_marks_of_footnotes_are_no_words():
    assert refuse_words("one[^1] two[^2] three[^3]", "one two three") is None


@pytest.mark.parametrize(
    ("owned", "after", "is_lost"),
    [
        ({"Platform"}, TEXT.replace("hope", "luck"), False),
        (set(), TEXT.replace("hope", "luck"), True),
        ({"", "Platform"}, TEXT.replace("# Atlas\n", "# Atlas\n\n{{stub}}\n"), False),
        ({"", "Platform"}, TEXT.replace("[^1]", "[^7]"), False),
        ({"", "Platform"}, TEXT.replace("## References\n", ""), True),
    ],
)
def test_lines_that_a_person_wrote_are_never_lost(owned, after, is_lost):
    reason = refuse_lost_lines(Article("Atlas", TEXT), Article("Atlas", after), owned)

    assert (reason is not None) == is_lost


def test_a_line_that_was_there_twice_is_there_twice():
    text = "# Atlas\n\nLead.\n\n{{stub}}\n\nSame.\n\nSame.\n"

    assert (
        refuse_lost_lines(Article("A", text), Article("A", text.replace("{{stub}}", "")), ())
        is None
    )
    once = text.replace("Same.\n\nSame.", "Same.")
    assert refuse_lost_lines(Article("A", text), Article("A", once), ()) is not None
