"""Harmony's messages, from text and from token ids to events."""

import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.events import FinishReason, ReasoningDelta, TextDelta, ToolCalled
from inference.messages import Message, Role
from inference.request import ChatPrompt
from inference.text.answer_reader import AnswerFormat, AnswerReaders
from inference.text.harmony import HarmonySplitter
from inference.text.reasoning import HARMONY, Channel
from inference.text.tools import harmony
from tests.plugins.harmony import CALL, RETURN, HarmonyTokenizer

TURN = "<|start|>assistant"
FINAL = "<|channel|>final<|message|>"
ANALYSIS = "<|channel|>analysis<|message|>"
COMMENTARY = "<|channel|>commentary<|message|>"


def pieces_of(parts, *, is_open):
    splitter = HarmonySplitter(is_open=is_open)
    pieces = [piece for part in parts for piece in splitter.feed(part)] + splitter.finish()
    texts = {c: "".join(p.text for p in pieces if p.channel is c) for c in Channel}
    return texts[Channel.REASONING], texts[Channel.ANSWER], splitter.is_reasoning


def cut(text, places):
    return [text[i:j] for i, j in zip([0, *places], [*places, len(text)], strict=True)]


def split(text, *, is_open=False):
    """Feed a text whole, by characters and in 50 random splits; return what all came to."""
    generator = random.Random(text)
    ways = [[text], list(text)]
    for _ in range(50):
        places = [generator.randint(0, len(text)) for _ in range(generator.randint(1, 5))]
        ways.append(cut(text, sorted(places)))
    [result] = {pieces_of(parts, is_open=is_open) for parts in ways}
    return result


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        (
            f"{ANALYSIS}A thought.<|end|>{TURN}{FINAL}An answer.<|return|>",
            "A thought.",
            "An answer.",
        ),
        (f"{ANALYSIS}\na\n<|end|>\n{TURN}{FINAL}b\n", "a", "b\n"),
        (f"{ANALYSIS}a{TURN}{FINAL}b", "a", "b"),
        (f"{ANALYSIS}a{FINAL}b", "a", "b"),
        (f"{ANALYSIS}<|end|>{TURN}{FINAL}b", "", "b"),
        (f"{FINAL}b <think> <|im_end|>", "", "b <think> <|im_end|>"),
        ("<|channel|>final <|constrain|>json<|message|>{}", "", "{}"),
        (f"{COMMENTARY}Wait.<|end|>{TURN}{FINAL}b", "", "Wait.\n\nb"),
        (f"{ANALYSIS}a<|end|>{TURN}{COMMENTARY}b<|end|>{TURN}{ANALYSIS}c", "a\n\nc", "b"),
        (f"{FINAL}a<|end|>{TURN}{FINAL}", "", "a"),
        (f"{TURN}{FINAL}a", "", "a"),
        (f"{TURN}<|message|>a", "", "a"),
        ("<|message|>a", "", "a"),
        (f" to=user{FINAL}a", "", "a"),
        ("b", "", "b"),
        (" \n b", "", " \n b"),
        ("", "", ""),
    ],
)
def test_channels_tell_reasoning_from_the_answer(text, reasoning, answer):
    assert split(text)[:2] == (reasoning, answer)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        (f"{ANALYSIS}a th", "a th", ""),
        (f"{ANALYSIS}a <|en", "a <|en", ""),
        (ANALYSIS, "", ""),
        (ANALYSIS[:15], "", ""),
        (f"{FINAL}an ans", "", "an ans"),
        (f"{COMMENTARY}an ans", "", "an ans"),
        (f"{ANALYSIS}a<|end|>{TURN}<|channel|>fin", "a", ""),
        (f"{ANALYSIS}a<|end|><|start|>", "a", ""),
        (f"{ANALYSIS}a<|end|>", "a", ""),
    ],
)
def test_what_is_cut_off_keeps_its_channel(text, reasoning, answer):
    is_reasoning = text.startswith(ANALYSIS) and "<|end|>" not in text

    assert split(text) == (reasoning, answer, is_reasoning)


@pytest.mark.parametrize(
    "header",
    [
        "<|channel|>??<|message|>",
        "<|channel|>commentary 2?<|message|>",
        "<|channel|>Sure, here it is: ",
        "<|channel|>thoughts<|message|>",
        f"<|channel|>{'final' * 100}<|message|>",
        "<|start|>functions.w to=assistant<|channel|>commentary<|message|>",
        "<|start|>user<|message|>",
        "to=me: ",
    ],
)
def test_what_is_no_header_is_text(header):
    assert split(f"{header}a<|end|>{TURN}{ANALYSIS}b") == ("b", f"{header}a", True)


@pytest.mark.parametrize("header", ["<|channel|>final", "<|channel|>", "<|start|>assistant"])
def test_a_header_that_says_nothing_is_not_shown(header):
    assert split(f"{header}<|end|>{TURN}{FINAL}b") == ("", "b", False)


def test_an_answer_may_begin_within_reasoning():
    assert split(f"a<|end|>{TURN}{FINAL}b", is_open=True) == ("a", "b", False)
    assert split("never ends", is_open=True) == ("never ends", "", True)


def test_reasoning_and_answers_stream():
    splitter = HarmonySplitter(is_open=False)
    parts = (f"{ANALYSIS}a", " b", f"<|end|>{TURN}{FINAL}c", " d <")

    shown = [[piece.text for piece in splitter.feed(part)] for part in parts]

    assert shown == [["a"], [" b"], ["c"], [" d "]]


FRAGMENTS = [
    *("<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|call|>"),
    *("<|return|>", "assistant", "analysis", "commentary", "final", " to=functions.w", " json"),
    *(ANALYSIS, FINAL, TURN, '{"city": "x', '"}', "\\", "<|", "é", "\n", " ", "x"),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14), st.booleans(), st.data())
def test_hostile_text_never_raises_and_no_cut_makes_a_difference(parts, is_open, data):
    text = "".join(parts)
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))

    whole = pieces_of([text], is_open=is_open)

    assert pieces_of(cut(text, places), is_open=is_open) == whole
    assert pieces_of(list(text), is_open=is_open) == whole
    if "<|constrain|>" not in text:  # what follows it is a header's type of content
        assert all((whole[0] + whole[1]).count(letter) == text.count(letter) for letter in "éx")


@pytest.mark.parametrize("unit", [*FRAGMENTS, f"{ANALYSIS}a \n", "<|start|> \n", '<|channel|>"'])
def test_repeated_markup_takes_linear_time(unit):
    begin = time.process_time()

    pieces_of([unit * (40_000 // len(unit))], is_open=False)

    # Twenty times what a linear splitter needs; one that looks back takes minutes.
    assert time.process_time() - begin < 20


TOOLS = ({"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}},)
THOUGHT = f"{ANALYSIS}hm<|end|>{TURN}"
CALLING = f'{THOUGHT}<|channel|>commentary to=functions.w <|constrain|>json<|message|>{{"a": 1}}'


def read(text, *, tools=TOOLS, end=(), reason=FinishReason.STOP, stop=(), prompt=TURN):
    """Feed an answer as tokens; return its events and why it ended."""
    tokenizer = HarmonyTokenizer()
    readers = AnswerReaders(tokenizer, AnswerFormat.of(tokenizer, "gpt_oss"))
    chat = ChatPrompt((Message(Role.USER, "hi"),), tools)
    reader = readers.make(chat, tokenizer.encode(prompt), stop)
    ids = [*tokenizer.encode(text), *end]
    events = [event for token_id in ids for event in reader.add(token_id)]
    events += reader.finish(reason)
    thoughts = "".join(e.text for e in events if isinstance(e, ReasoningDelta))
    shown = "".join(e.text for e in events if isinstance(e, TextDelta))
    calls = [(e.name, json.loads(e.arguments)) for e in events if isinstance(e, ToolCalled)]
    return thoughts, shown, calls, reader.reason(reason)


def test_special_tokens_are_read_and_not_shown():
    answer = read(f"{THOUGHT}{FINAL}Hi", end=[RETURN])

    assert answer == ("hm", "Hi", [], FinishReason.STOP)


def test_a_call_ends_at_its_stop_token():
    answer = read(CALLING, end=[CALL])

    assert answer == ("hm", "", [("w", {"a": 1})], FinishReason.TOOL_CALLS)


def test_a_call_that_the_limit_cut_off_is_completed_and_the_limit_stays_the_reason():
    answer = read(CALLING[:-1], reason=FinishReason.LENGTH)

    assert answer == ("hm", "", [("w", {"a": 1})], FinishReason.LENGTH)


def test_without_tools_channels_are_read_all_the_same():
    answer = read(f"{THOUGHT}{FINAL}Hi", tools=(), end=[RETURN])

    assert answer == ("hm", "Hi", [], FinishReason.STOP)


def test_stop_strings_are_looked_for_in_the_answer_alone():
    answer = read(f"{ANALYSIS}a#b<|end|>{TURN}{FINAL}one#two", stop=("#",))

    assert answer == ("a#b", "one", [], FinishReason.STOP)


def test_a_prompt_that_opened_reasoning_begins_in_it():
    answer = read(f"hm<|end|>{TURN}{FINAL}Hi", prompt=TURN + ANALYSIS)

    assert answer == ("hm", "Hi", [], FinishReason.STOP)


@pytest.mark.parametrize(
    ("template", "model_type"),
    [
        (f"tools <|start|>assistant{ANALYSIS} <|end|>", "some_model"),
        ("tools {{ '<|channel|>' + channel }}", "gpt_oss"),
    ],
)
def test_template_or_special_tokens_tell_the_format(template, model_type):
    tokenizer = HarmonyTokenizer()
    tokenizer.chat_template = template

    answer_format = AnswerFormat.of(tokenizer, model_type)

    assert answer_format == AnswerFormat(HARMONY, harmony.FORMAT)
    assert all(answer_format.shows(s, with_tools=True) for s in tokenizer.special_tokens.values())
