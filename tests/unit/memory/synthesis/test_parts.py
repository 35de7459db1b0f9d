"""Parts of an article: what is read of them, and when there is something new to tidy."""

from memory.article.article import Article
from memory.synthesis.parts import LEAD, summary_of
from memory.synthesis.tidiness import tidy_hash

TEXT = "# A\n\nA is a Big map.[^1]\n\n## One\n\nFirst. Second.\n\n## History\n\n- Old.\n"


def hash_of(text, name=LEAD):
    return tidy_hash(Article("A", text), name)


def test_a_summary_is_the_lead_and_the_first_sentence_of_each_section():
    text = TEXT.replace("a Big map", "a [[Big_map]] of [[Norway|the north]]")

    assert summary_of(Article("A", text)) == "A is a Big map of the north. First."


def test_links_and_marks_are_nothing_new_and_words_are():
    assert hash_of(TEXT.replace("Big map.[^1]", "[[Big_map]].[^2]")) == hash_of(TEXT)
    assert hash_of(TEXT.replace("Second", "Third")) == hash_of(TEXT)
    assert hash_of(TEXT.replace("First", "Third")) != hash_of(TEXT)
    assert hash_of(TEXT.replace("Second", "Third"), "One") != hash_of(TEXT, "One")
