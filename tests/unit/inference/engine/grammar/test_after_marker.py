import numpy as np
import pytest

from inference.constraint import Choice
from inference.engine.grammar.after_marker import AfterMarker
from inference.engine.grammar.compiler import GrammarCompiler
from inference.engine.grammar.matcher import num_words
from inference.text.grammar.source import write_grammar

# Bytes, a stop token, two tokens across the marker's end, a marker without bytes.
STOP, BLANK, JOINED, SPECIAL, VOCAB = 256, 257, 258, 259, 260
TOKENS = [bytes([b]) for b in range(256)] + [b"", b">\n\n", b">yes", b""]


@pytest.fixture(scope="module")
def compiled(xgrammar):
    compiler = GrammarCompiler(TOKENS, frozenset({STOP}), VOCAB)
    return compiler.compile(write_grammar(Choice(("yes", "no"))).ebnf)


@pytest.fixture
def matcher(compiled):
    return AfterMarker(
        compiled, marker=b"</think>", marker_tokens=frozenset({SPECIAL}), token_bytes=TOKENS
    )


def allowed(matcher):
    row = np.empty(num_words(VOCAB), dtype=np.int32)
    matcher.fill(row)
    bits = np.unpackbits(row.view(np.uint8), bitorder="little")[:VOCAB]
    return {int(token) for token in np.flatnonzero(bits)}


def follow(matcher, text):
    for octet in text.encode():
        assert matcher.accept(octet)


def test_before_the_marker_all_but_a_stop_token_is_allowed(matcher):
    follow(matcher, "why < not </thin")

    assert allowed(matcher) == set(range(VOCAB)) - {STOP}
    assert not matcher.accept(STOP)
    assert not matcher.is_done
    assert not matcher.is_complete


@pytest.mark.parametrize("thoughts", ["</think>", "hm </think>", "<</</think>", "</th</think>"])
def test_behind_the_marker_the_grammar_holds(matcher, thoughts):
    follow(matcher, thoughts)

    assert allowed(matcher) == {ord("y"), ord("n")}
    follow(matcher, "no")
    assert matcher.is_done
    assert matcher.is_complete


def test_a_marker_may_be_a_token_without_bytes(matcher):
    follow(matcher, "hm")

    assert matcher.accept(SPECIAL)

    assert allowed(matcher) == {ord("y"), ord("n")}


@pytest.fixture
def bridged(compiled):
    return AfterMarker(
        compiled,
        marker=b"</think>",
        marker_tokens=frozenset({SPECIAL}),
        bridge=(ord("="), SPECIAL),
        token_bytes=TOKENS,
    )


def test_the_bridge_stands_between_the_marker_and_the_grammar(bridged):
    follow(bridged, "hm=</think>")

    for token in (ord("="), SPECIAL):
        assert allowed(bridged) == {token}
        assert not bridged.accept(ord("y"))
        assert not bridged.is_done and not bridged.is_complete
        assert bridged.accept(token)
    assert allowed(bridged) == {ord("y"), ord("n")}
    follow(bridged, "no")
    assert bridged.is_done and bridged.is_complete


def test_text_in_the_markers_last_token_before_a_bridge_is_a_failure(bridged):
    follow(bridged, "</think")

    assert bridged.accept(JOINED)

    assert "joined" in bridged.failure


def test_blanks_in_the_markers_last_token_are_passed_over(matcher):
    follow(matcher, "</think")

    assert matcher.accept(BLANK)

    assert allowed(matcher) == {ord("y"), ord("n")}
    assert matcher.failure is None


def test_text_in_the_markers_last_token_counts(matcher):
    follow(matcher, "</think")

    assert matcher.accept(JOINED)

    assert matcher.is_done


def test_text_in_the_markers_last_token_that_does_not_fit_is_a_failure(compiled):
    tokens = [*TOKENS[:JOINED], b">maybe", b""]
    matcher = AfterMarker(compiled, marker=b"</think>", token_bytes=tokens)
    follow(matcher, "</think")

    assert matcher.accept(JOINED)

    assert "joined" in matcher.failure
