"""Token ids to text: the same text however the ids arrive."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from inference.text.detokenizer import Detokenizer

BYTES = [bytes([byte]) for byte in range(256)]


def pieces_of(groups, table, *, strips=False):
    """Feed groups of ids; return every piece that came out, the last one from `finish`."""
    detokenizer = Detokenizer(table, strips_leading_space=strips)
    return [*(detokenizer.add(group) for group in groups), detokenizer.finish()]


@st.composite
def groups_of(draw, ids):
    """`ids`, cut anywhere."""
    cuts = sorted(draw(st.lists(st.integers(0, len(ids)), max_size=8)))
    edges = [0, *cuts, len(ids)]
    return [ids[start:end] for start, end in itertools.pairwise(edges)]


@given(st.text(), st.data())
def test_valid_text_is_the_same_however_it_is_cut_and_never_shows_a_broken_character(text, data):
    # U+FFFD may be in the text itself; then it is no sign of a broken one.
    text = text.replace("\ufffd", "")
    groups = data.draw(groups_of(list(text.encode())))

    pieces = pieces_of(groups, BYTES)

    assert "".join(pieces) == text
    assert not any("\ufffd" in piece for piece in pieces)


@given(st.binary(), st.booleans(), st.data())
def test_any_bytes_give_what_decoding_at_once_gives(data, strips, draws):
    groups = draws.draw(groups_of(list(data)))
    whole = data.decode(errors="replace")

    text = "".join(pieces_of(groups, BYTES, strips=strips))

    assert text == (whole.removeprefix(" ") if strips else whole)


def test_incomplete_bytes_wait_and_complete_text_before_them_does_not():
    # Public case st-06.
    table = [bytes.fromhex(token) for token in ("6869", "f09f", "9880", "21", "e4b8", "ad")]

    pieces = pieces_of([[index] for index in range(6)], table)

    assert "".join(pieces) == "hi😀!中"
    assert pieces[0] == "hi"
    assert not any("\ufffd" in piece for piece in pieces)


def test_complete_text_before_an_incomplete_character_comes_at_once():
    detokenizer = Detokenizer([b"hi\xf0\x9f", b"\x98\x80"], strips_leading_space=False)

    assert [detokenizer.add([0]), detokenizer.add([1])] == ["hi", "😀"]


def test_an_end_inside_a_character_is_shown_as_one_replacement_character():
    assert pieces_of([[0xE4, 0xB8]], BYTES) == ["", "\ufffd"]


def test_only_the_first_leading_space_is_an_artefact():
    table = [b" a", b" b", b""]

    assert "".join(pieces_of([[2], [0], [1]], table, strips=True)) == "a b"


def test_ids_that_no_token_spells_show_nothing():
    assert "".join(pieces_of([[97, 256, 151_935, 98]], BYTES)) == "ab"
