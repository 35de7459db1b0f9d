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
    """The definition: who reads on stops where a stop string is complete, and cuts the longest."""
    for end in range(1, len(text) + 1):
        complete = [stop for stop in stops if text[:end].endswith(stop)]
        if complete:
            stop = max(complete, key=len)
            return text[: end - len(stop)], stop
    return text, None


@given(stop_lists, texts)
def test_text_in_one_piece_ends_before_what_is_complete_first(stops, text):
    out, matched = shown(stops, [text])

    assert ("".join(out), matched) == expected(stops, text)


@given(stop_lists, st.lists(st.text("abc", max_size=4), max_size=12))
def test_the_answer_does_not_depend_on_the_cuts(stops, pieces):
    out, matched = shown(stops, pieces)

    assert ("".join(out), matched) == expected(stops, "".join(pieces))


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


@pytest.mark.parametrize(
    ("stops", "shown_before", "matched"),
    [
        (["ab", "abc"], "x", "ab"),  # complete first
        (["b", "ab"], "x", "ab"),  # complete at once; the longer
        (["b", "xabc"], "xa", "b"),  # what began earlier is not waited for
    ],
)
def test_the_first_that_is_complete_wins(stops, shown_before, matched):
    assert shown(stops, ["xabc"]) == ([shown_before], matched)
    assert ("".join(shown(stops, "xabc")[0]), shown(stops, "xabc")[1]) == (shown_before, matched)


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
