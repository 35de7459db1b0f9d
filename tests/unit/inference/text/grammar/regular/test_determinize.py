import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.regular.determinize import search_match, whole_match

ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "ab", r"\d", "1"])


def _grown(inner):
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map("|".join).map("({})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    )


PATTERNS = st.recursive(ATOMS, _grown, max_leaves=6)
TEXTS = st.text("ab1x", max_size=6)


@given(PATTERNS, TEXTS)
def test_a_whole_match_is_what_python_says_it_is(pattern, text):
    assert whole_match(pattern).accepts(text) == bool(re.fullmatch(pattern, text))


@given(PATTERNS, TEXTS, st.sampled_from(["{}", "^{}", "{}$", "^{}$", "^{}|b$"]))
def test_a_search_is_what_python_says_it_is(body, text, frame):
    # An alternation inside would take the anchors for its own.
    pattern = frame.format(f"({body})")

    assert search_match(pattern).accepts(text) == bool(re.search(pattern, text))


@pytest.mark.parametrize(
    "pattern", [r"(([a-z]+)+)+", r"((([a-z]*)*)*)*!", r"(a|a|aa)*b", r"(a{0,9}){0,9}"]
)
def test_nested_quantifiers_come_down_to_few_states(pattern):
    assert len(whole_match(pattern).states) < 200


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-z]{1,20000}",
        r"(a{1,1000}){1,1000}",
        r"((a|aa|aaa|b|[a-z]|[a-z][a-z]){1,50}){1,50}",
        r"(a|b)*a(a|b){20}",
        r"a{999999999}",
    ],
)
def test_what_grows_too_large_is_refused_soon(pattern):
    started = time.monotonic()

    with pytest.raises(NotExpressible, match="automaton"):
        whole_match(pattern)

    assert time.monotonic() - started < 20
