"""Reasoning told from the answer, wherever the text is cut."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.reasoning import (
    Channel,
    ReasoningFormat,
    ReasoningSplitter,
    TrailingBlank,
    choose_reasoning,
)

THINK = choose_reasoning("<think></think>")
GEMMA = choose_reasoning("<|channel><channel|>")


def pieces_of(text, splitter, cuts):
    parts = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [piece for part in parts for piece in splitter.feed(part)] + splitter.finish()


def split(text, reasoning=THINK, *, is_open=False):
    """Feed the text in many ways; return reasoning and answer, the same for all."""
    generator = random.Random(text)
    ways = [[], list(range(1, len(text)))]
    ways += [
        sorted(generator.randint(0, len(text)) for _ in range(generator.randint(1, 5)))
        for _ in range(50)
    ]
    results = set()
    for cuts in ways:
        splitter = ReasoningSplitter(reasoning, is_open=is_open)
        pieces = pieces_of(text, splitter, cuts)
        texts = dict.fromkeys(Channel, "")
        for piece in pieces:
            texts[piece.channel] += piece.text
        results.add((texts[Channel.REASONING], texts[Channel.ANSWER], splitter.is_reasoning))
    [result] = results
    return result[:2]


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>\nA thought.\n</think>\n\nAn answer.\n", "A thought.", "An answer.\n"),
        ("<think>a</think>b", "a", "b"),
        ("\n<think>a</think>b", "a", "b"),
        ("<think>\n\n</think>\n\nb", "", "b"),
        ("<think></think>", "", ""),
        ("<think>a  b\n\nc \n</think>\n    code", "a  b\n\nc", "    code"),
        ("<think>a</think> b", "a", " b"),
        ("<think>a</think>\n<think>b</think>\nc", "ab", "c"),
        ("</think>\n\nb", "", "b"),
        ("b", "", "b"),
        ("  b", "", "  b"),
        (" \n ", "", " \n "),
        ("", "", ""),
    ],
)
def test_markers_and_the_newlines_beside_them_belong_to_neither(text, reasoning, answer):
    assert split(text) == (reasoning, answer)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("A thought.\n</think>\n\nb", "A thought.", "b"),
        ("</think>\n\nb", "", "b"),
        ("<think>\na</think>b", "a", "b"),
        ("a <think> b</think>c", "a <think> b", "c"),
        ("never ends", "never ends", ""),
    ],
)
def test_an_answer_may_begin_within_reasoning(text, reasoning, answer):
    assert split(text, is_open=True) == (reasoning, answer)


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        ("<think>\na b", "a b"),
        ("<think>a\n", "a"),
        ("<think>a </thin", "a </thin"),
        ("<think>", ""),
        ("<think><thi", "<thi"),
    ],
)
def test_reasoning_may_never_end(text, reasoning):
    assert split(text) == (reasoning, "")


@pytest.mark.parametrize(
    "text",
    [
        "The tag <think> opens it and </think> closes it.",
        "<thinking>no</thinking>",
        "<thin",
        "a </think> b",
        "< think>",
    ],
)
def test_an_answer_may_speak_of_the_tags(text):
    assert split(text) == ("", text)


def test_an_answer_may_speak_of_the_tags_after_reasoning_too():
    assert split("<think>a</think>Use <think>x</think>.") == ("a", "Use <think>x</think>.")


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<|channel>thought\nA thought.<channel|>An answer.", "A thought.", "An answer."),
        ("<|channel>thought\n<channel|>b", "", "b"),
        ("<|channel>a<channel|>b", "a", "b"),
        ("a <|channel>thought\nb\n<channel|>\nc", "b", "a c"),
        ("<|channel>thought", "thought", ""),
        ("a <|chan", "", "a <|chan"),
    ],
)
def test_special_tokens_mark_reasoning_anywhere(text, reasoning, answer):
    assert split(text, GEMMA) == (reasoning, answer)


def test_the_header_is_a_line_of_its_own():
    assert split("thoughts of\nmine<channel|>b", GEMMA, is_open=True) == ("thoughts of\nmine", "b")


def test_reasoning_streams_before_it_ends():
    splitter = ReasoningSplitter(THINK, is_open=False)

    shown = [[piece.text for piece in splitter.feed(part)] for part in ("<think>a", " b ", "c</t")]

    assert shown == [["a"], [" b"], [" c"]]


def test_whether_reasoning_goes_on_is_known():
    splitter = ReasoningSplitter(THINK, is_open=True)
    assert splitter.is_reasoning

    splitter.feed("a</think>")
    splitter.finish()

    assert not splitter.is_reasoning


@given(
    st.lists(
        st.sampled_from(["<think>", "</think>", "<thi", "</", "\n", " ", "a", "b"]), max_size=12
    ),
    st.booleans(),
    st.data(),
)
def test_the_cuts_make_no_difference_and_nothing_but_markers_and_blank_is_lost(
    parts, is_open, data
):
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    whole = pieces_of(text, ReasoningSplitter(THINK, is_open=is_open), [])
    in_parts = pieces_of(text, ReasoningSplitter(THINK, is_open=is_open), cuts)

    def joined(pieces):
        return {c: "".join(p.text for p in pieces if p.channel is c) for c in Channel}

    assert joined(in_parts) == joined(whole)
    shown = "".join(piece.text for piece in whole)
    dense = "".join(shown.split()).replace("<think>", "").replace("</think>", "")
    assert dense == "".join(text.split()).replace("<think>", "").replace("</think>", "")


@pytest.mark.parametrize(
    ("prompt", "is_open"),
    [
        ("<|im_start|>assistant\n<think>\n", True),
        ("<|im_start|>assistant\n<think>", True),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", False),
        ("<|im_start|>user\n<think> is a tag<|im_end|>\n<|im_start|>assistant\n", False),
    ],
)
def test_the_end_of_the_prompt_says_whether_reasoning_is_open(prompt, is_open):
    assert THINK.is_open_after(prompt) is is_open


def test_a_prompt_may_hold_the_header_too():
    assert GEMMA.is_open_after("<|turn>model\n<|channel>thought\n")
    assert not GEMMA.is_open_after("<|turn>model\n<|channel>thought\n<channel|>")


@pytest.mark.parametrize(
    ("template", "vocabulary", "start"),
    [
        ("{{ '<think>' }}{{ '</think>' }}", (), "<think>"),
        ("", {"<think>", "</think>"}, "<think>"),
        ("", {"<|channel>", "<channel|>", "<think>"}, "<|channel>"),
        ("<longcat_think></longcat_think>", (), "<longcat_think>"),
        ("<|think:start|><|think:end|>", (), "<|think:start|>"),
        ("<|channel|>analysis<|message|><|end|>", (), "<|channel|>analysis<|message|>"),
        ("", {"<|channel|>", "<|message|>", "<|end|>"}, "<|channel|>analysis<|message|>"),
    ],
)
def test_template_or_vocabulary_tell_the_markers(template, vocabulary, start):
    assert choose_reasoning(template, vocabulary).start == start


def test_a_model_may_have_no_markers():
    assert choose_reasoning("{{ messages }}", {"a", "b"}) is None


def test_special_tokens_of_the_markers_are_to_be_shown():
    assert GEMMA.shows("<|channel>")
    assert GEMMA.shows("<channel|>")
    assert not GEMMA.shows("<eos>")


def test_blank_text_at_the_end_waits_for_what_follows():
    trailing = TrailingBlank()

    assert [trailing.add(text) for text in ("a \n", " ", "\tb", "")] == ["a", "", " \n \tb", ""]


def test_long_reasoning_takes_linear_time():
    splitter = ReasoningSplitter(ReasoningFormat("<think>", "</think>"), is_open=True)
    text = "a \n" * 20_000

    assert len("".join(p.text for c in text for p in splitter.feed(c))) == len(text) - 2
