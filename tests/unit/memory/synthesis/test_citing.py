"""Marks of footnotes in prose that a model rewrites."""

from memory.synthesis.citing import cite_new, first_sentence, restored


def test_a_new_fact_gets_the_mark_behind_its_sentence():
    cited = cite_new("One is. Two is.[^1]", "One is. Three is new. Two is.[^1]", "9")

    assert cited == "One is. Three is new.[^9] Two is.[^1]"


def test_words_alone_make_a_sentence_new():
    assert cite_new("One is. Two is.[^1]", "One is.  two is[^1]", "9") is None


def test_a_mark_that_was_lost_comes_back_behind_its_sentence():
    assert restored("One is.[^1] Two is.[^2]", "Two is.[^2] One is.") == "Two is.[^2] One is.[^1]"


def test_a_mark_whose_sentence_is_gone_comes_to_the_end():
    assert restored("One is.[^1]", "Something else.") == "Something else.[^1]"


def test_a_mark_that_the_model_made_up_is_taken_out():
    assert restored("One is.[^1]", "One is.[^1][^7]") == "One is.[^1]"


def test_a_point_within_a_word_ends_no_sentence():
    assert first_sentence("Version 3.5 is out.[^1] More.") == "Version 3.5 is out."
