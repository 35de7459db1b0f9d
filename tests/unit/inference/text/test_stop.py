"""Stop strings: never shown in part, found wherever the text is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.stop import StopMatcher

# A small alphabet, so that texts and stops meet and overlap.
texts = st.text("abc", max_size=30)
stop_lists = st.lists(st.text("abc", min_size=1, max_size=5), max_size=4)


def shown(stops, pieces):
    """Feed pieces; return what each showed, `finish` last, and the string that matched."""
    matcher = StopMatcher(stops)
    out = [matcher.add(piece) for piece in pieces]
    if matcher.matched is None:
        out.append(matcher.finish())
    return out, matcher.matched


def expected(stops, text):
    """The definition: cut before the earliest occurrence; at one place, the longest counts."""
    matches = [(text.find(stop), -len(stop), stop) for stop in stops if stop in text]
    if not matches:
        return text, None
    at, _length, stop = min(matches)
    return text[:at], stop


@given(stop_lists, texts)
def test_text_in_one_piece_ends_before_the_earliest_match(stops, text):
    out, matched = shown(stops, [text])

    assert ("".join(out), matched) == expected(stops, text)


@given(stop_lists, st.lists(st.text("abc", max_size=4), max_size=12))
def test_the_visible_text_does_not_depend_on_the_cuts(stops, pieces):
    out, _matched = shown(stops, pieces)

    assert "".join(out) == expected(stops, "".join(pieces))[0]


@given(stop_lists, st.lists(st.text("abc", max_size=4), max_size=12))
def test_no_part_of_a_stop_string_is_shown_before_it_matches(stops, pieces):
    matcher = StopMatcher(stops)
    visible, whole = "", "".join(pieces)

    for piece in pieces:
        visible += matcher.add(piece)
        assert expected(stops, whole)[0].startswith(visible)


def test_a_stop_string_across_pieces_is_never_seen():
    # Public case st-04.
    out, matched = shown(["own fox"], ["The quick br", "own", " fox jumps"])

    assert "".join(out) == "The quick br"
    assert matched == "own fox"
    assert out == ["The quick br", "", ""]


def test_at_one_place_the_longest_wins():
    assert shown(["ab", "abc"], ["xabc"]) == (["x"], "abc")


def test_text_that_only_looks_like_a_beginning_is_shown_once_decided():
    out, matched = shown(["###"], ["a#", "#", "b"])

    assert (out, matched) == (["a", "", "##b", ""], None)


def test_the_end_shows_what_was_held_back():
    out, matched = shown(["###"], ["a##"])

    assert (out, matched) == (["a", "##"], None)


def test_nothing_follows_a_match():
    matcher = StopMatcher(["x"])

    assert [matcher.add("ax"), matcher.add("b"), matcher.finish()] == ["a", "", ""]


@pytest.mark.parametrize("stops", [[], [""]])
def test_without_stop_strings_text_passes_at_once(stops):
    assert StopMatcher(stops).add("abc") == "abc"
