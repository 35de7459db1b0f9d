import pytest

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.automaton import MAX_STATES, NOTHING, of_length, words
from inference.text.grammar.regular.determinize import whole_match


def test_words_are_accepted_and_their_prefixes_are_not():
    animals = words(["cat", "cattle", "😀"])

    assert [animals.accepts(text) for text in ("cat", "cattle", "😀")] == [True] * 3
    assert [animals.accepts(text) for text in ("", "catt", "dog")] == [False] * 3


@pytest.mark.parametrize(
    ("least", "most", "accepted"),
    [(0, 0, {0}), (2, 3, {2, 3}), (2, None, {2, 3, 4, 5}), (3, 2, set())],
)
def test_a_length_counts_characters(least, most, accepted):
    automaton = of_length(least, most)

    assert {n for n in range(6) if automaton.accepts("é" * n)} == accepted


def test_automata_combine_like_sets():
    short, letters = of_length(0, 2), whole_match("[ab]*")

    assert (short & letters).accepts("ab")
    assert not (short & letters).accepts("abb")
    assert (letters - short).accepts("abb")
    assert not (letters - short).accepts("ab")
    assert (words(["x"]) | words(["y"])).accepts("y")


def test_an_automaton_that_accepts_nothing_is_false():
    assert not words([])
    assert not (words(["a"]) & words(["b"]))
    assert not (words(["a"]) - of_length(0, None))
    assert not NOTHING.accepts("")


def test_states_that_lead_nowhere_are_dropped():
    # Only `ac` remains; the way by `b` has no end within the length.
    kept = whole_match("ac|bbbb") & of_length(0, 2)

    assert len(kept.states) == 3


def test_a_product_that_grows_too_large_is_refused():
    with pytest.raises(NotExpressible, match=f"{MAX_STATES:,} states"):
        whole_match("(a{61})*") & whole_match("(a{67})*") & whole_match("(a{2})*")
