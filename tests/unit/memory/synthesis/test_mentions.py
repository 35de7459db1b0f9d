"""First mentions become links."""

from memory.synthesis.mentions import Names, link_first

NAMES = Names({"Atlas": ["Atlas"], "Big_map": ["Big map", "BM"], "Map": ["Map"]})


def linked(text, *known):
    lines = text.splitlines()
    return "\n".join(link_first(lines, range(len(lines)), NAMES, set(known)))


def test_the_first_mention_of_each_name_becomes_a_link():
    assert linked("Atlas and Atlas\nand a BM") == "[[Atlas]] and Atlas\nand a [[Big_map|BM]]"


def test_the_longest_name_counts():
    assert linked("a big map") == "a [[Big_map|big map]]"


def test_a_name_of_one_word_is_found_as_it_is_spelt():
    assert linked("a map, an atlas, Maps") == "a map, an atlas, Maps"


def test_links_code_and_marks_stay():
    text = "[[Atlas|the Map]] `Map` [^Map] https://x/Map [a](Map) [b](x_(Map)_y#Map)"

    assert linked(text) == text


def test_what_is_linked_already_gets_no_second_link():
    assert linked("Atlas", "Atlas") == "Atlas"


def test_doing_it_twice_changes_nothing():
    once = linked("Atlas and a BM")

    assert linked(once, "Atlas", "Big_map") == once
