"""Reading text that is still arriving: the cuts make no difference."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.tools.source import Literals, Source

TAGS = Literals("<a>", "</a>", "{")


def run(reading, source, pieces):
    """Feed pieces to a reader until it is done; return its result."""
    pieces = iter(pieces)
    while True:
        try:
            next(reading)
        except StopIteration as stop:
            return stop.value
        piece = next(pieces, None)
        if piece is None:
            assert not source.ended, "a reader waits for text after the end"
            source.end()
        else:
            source.add(piece)


def read(make_reading, pieces):
    source = Source()
    return run(make_reading(source), source, pieces)


@pytest.mark.parametrize(
    ("text", "before"),
    [("x<a>y", "x"), ("x</a>", "x"), ("<b</a", "<b</a"), ("{", ""), ("", ""), ("<<a>", "<")],
)
def test_until_takes_what_precedes_the_first_literal(text, before):
    for pieces in ([text], list(text)):
        assert read(lambda source: source.until(TAGS), pieces) == before


def test_until_gives_up_after_its_limit():
    for pieces in (["abcdef{"], list("abcdef{")):
        assert read(lambda source: source.until(TAGS, limit=4), pieces) == "abcd"


@given(st.lists(st.text("<a/>{", max_size=4), max_size=8))
def test_until_does_not_depend_on_the_cuts(pieces):
    text = "".join(pieces)

    def reading(source):
        return source.until(TAGS)

    assert read(reading, pieces) == read(reading, [text]) == re.split("<a>|</a>|{", text)[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [("<a>", "<a>"), ("<b>", ""), ("", ""), ("</a", "</a>"), ("<a>x", "<a>"), ("<x", "")],
)
def test_at_says_which_literal_comes_next_even_if_the_end_cuts_it(text, found):
    for pieces in ([text], list(text)):
        assert read(lambda source: source.at(TAGS), pieces) == found


def test_at_takes_nothing_and_skip_takes_what_it_found():
    source = Source()
    source.add("<a>b")

    assert run(source.at(TAGS), source, []) == "<a>"
    assert run(source.skip(TAGS), source, []) == "<a>"
    assert run(source.skip(TAGS), source, []) == ""
    assert run(source.take(1), source, []) == "b"


def test_space_ends_where_something_else_begins():
    for pieces in (["  \n x"], list("  \n x"), ["  \n "]):
        assert read(lambda source: source.space(), pieces).strip() == ""


def test_what_was_taken_since_the_mark_is_known_and_can_be_put_back():
    source = Source()
    source.add("abcdef")
    run(source.take(1), source, [])
    source.mark()
    run(source.take(2), source, [])
    run(source.take(2), source, [])

    source.put_back("cde")

    assert source.since_mark() == "b"
    assert run(source.take(4), source, []) == "cdef"


def test_text_can_be_put_back_after_more_arrived():
    source = Source()
    source.add("abc")
    run(source.take(3), source, [])
    source.add("def")

    source.put_back("abc")

    assert run(source.take(6), source, []) == "abcdef"


def test_a_literal_that_begins_another_is_refused():
    with pytest.raises(AssertionError):
        Literals("<a", "<a>")
