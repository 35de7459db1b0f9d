"""Prompts: as long as asked for, and alike only where they should be."""

from benchmarks.prompts import long_prompt, story


def test_a_long_prompt_has_as_many_words_as_tokens_are_asked_for():
    assert len(long_prompt(300, topic=1, question=0)[0]["content"].split()) == 300


def test_prompts_of_one_topic_differ_at_their_end_only():
    first, second = (long_prompt(300, topic=1, question=number) for number in (0, 1))

    assert first[0] == second[0]
    assert first[1] != second[1]


def test_another_topic_begins_with_other_words():
    first, second = (long_prompt(300, topic=number, question=0) for number in (1, 2))

    assert first[0]["content"][:20] != second[0]["content"][:20]


def test_no_two_stories_are_the_same():
    assert story(1) != story(2)
