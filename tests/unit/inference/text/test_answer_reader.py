"""One answer from token ids to events: reasoning, text, calls, stop strings."""

import json
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.events import FinishReason, ReasoningDelta, TextDelta, ToolCalled
from inference.messages import Message, Role
from inference.request import ChatPrompt, TextPrompt
from inference.text.answer_reader import AnswerFormat, AnswerReaders
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer

TOOLS = ({"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}},)
CALL = '<tool_call>{"name": "w", "arguments": {"city": "Oslo"}}</tool_call>'
HELLO = (Message(Role.USER, "hi"),)


def make_reader(*, tools=TOOLS, stop=(), prompt_end="", tokenizer=None, prompt=None):
    tokenizer = tokenizer or ByteTokenizer()
    readers = AnswerReaders(tokenizer, AnswerFormat.of(tokenizer, "scripted"))
    return readers.make(prompt or ChatPrompt(HELLO, tools), list(prompt_end.encode()), stop)


def read(reader, text, reason=FinishReason.STOP):
    """Feed an answer to its end; returns reasoning, text, calls and the reason of the end."""
    events = [event for token_id in text.encode() for event in reader.add(token_id)]
    if reader.stop_string is None:
        events += reader.finish(reason)
    thoughts = "".join(e.text for e in events if isinstance(e, ReasoningDelta))
    shown = "".join(e.text for e in events if isinstance(e, TextDelta))
    calls = [(e.name, json.loads(e.arguments)) for e in events if isinstance(e, ToolCalled)]
    return thoughts, shown, calls, reader.reason(reason)


def test_reasoning_text_and_calls_are_told_apart():
    answer = read(make_reader(), f"<think>\nhm\n</think>\n\nLet me see.{CALL}")

    assert answer == ("hm", "Let me see.", [("w", {"city": "Oslo"})], FinishReason.TOOL_CALLS)


def test_a_call_of_an_unknown_tool_is_text_unless_the_caller_answers_those_too():
    text = '<tool_call>{"name": "x", "arguments": {"a": "1"}}</tool_call>'

    told = {
        any_call: read(make_reader(prompt=ChatPrompt(HELLO, tools, any_call=any_call)), text)
        for any_call, tools in ((False, TOOLS), (True, TOOLS))
    }

    assert told[False] == ("", text, [], FinishReason.STOP)
    assert told[True] == ("", "", [("x", {"a": "1"})], FinishReason.TOOL_CALLS)
    without_tools = make_reader(prompt=ChatPrompt(HELLO, any_call=True))
    assert read(without_tools, text) == told[True]


def test_json_that_no_tag_says_to_be_a_call_is_one_of_a_known_tool_only():
    text = '{"name": "x", "arguments": {"a": "1"}}'

    answer = read(make_reader(prompt=ChatPrompt(HELLO, TOOLS, any_call=True)), text)

    assert answer == ("", text, [], FinishReason.STOP)


def test_a_prompt_that_opened_reasoning_begins_in_it():
    answer = read(make_reader(prompt_end="<assistant><think>\n"), "hm</think>Hi")

    assert answer == ("hm", "Hi", [], FinishReason.STOP)


def test_reasoning_tokens_are_counted():
    reader = make_reader(prompt_end="<think>")

    read(reader, "hm</think>Hi")

    assert reader.reasoning_tokens == len("hm</think>")


def test_without_tools_markup_is_text():
    assert read(make_reader(tools=()), CALL) == ("", CALL, [], FinishReason.STOP)


def test_raw_text_stays_raw():
    text = f"<think>x</think>{CALL}"

    assert read(make_reader(prompt=TextPrompt("x")), text) == ("", text, [], FinishReason.STOP)


@pytest.mark.parametrize("engine_reason", [FinishReason.LENGTH, FinishReason.STOP])
def test_a_call_that_the_end_cut_off_is_completed_and_a_limit_stays_the_reason(engine_reason):
    """Public case tp-12."""
    cut = CALL[:-14]  # without the closing brace and tag

    thoughts, text, calls, reason = read(make_reader(), cut, engine_reason)

    assert (thoughts, text, calls) == ("", "", [("w", {"city": "Oslo"})])
    stopped = engine_reason is FinishReason.STOP
    assert reason is (FinishReason.TOOL_CALLS if stopped else FinishReason.LENGTH)


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("", FinishReason.TOOL_CALLS),
        (" and then", FinishReason.TOOL_CALLS),
        (CALL[:-14], FinishReason.LENGTH),
    ],
)
def test_the_limit_is_the_reason_only_if_it_cut_a_call_off(rest, reason):
    answer = read(make_reader(), CALL + rest, FinishReason.LENGTH)

    assert answer[2][0] == ("w", {"city": "Oslo"})
    assert answer[3] is reason


def test_stop_strings_are_looked_for_in_the_shown_text_alone():
    text = f"<think>a#b</think>one{CALL}two#three"

    reader = make_reader(stop=("#",))
    answer = read(reader, text)

    assert answer == ("a#b", "onetwo", [("w", {"city": "Oslo"})], FinishReason.STOP)
    assert reader.stop_string == "#"


def test_text_held_back_for_a_stop_string_comes_before_the_call_behind_it():
    reader = make_reader(stop=("one<more",))
    events = [event for token_id in f"one{CALL}".encode() for event in reader.add(token_id)]
    events += reader.finish(FinishReason.STOP)

    assert [type(event) for event in events] == [TextDelta, ToolCalled]


def test_every_call_has_an_id_of_its_own():
    reader = make_reader()
    events = [event for token_id in (CALL * 2).encode() for event in reader.add(token_id)]
    events += reader.finish(FinishReason.STOP)

    ids = {event.id for event in events if isinstance(event, ToolCalled)}
    assert len(ids) == 2 and all(ids)


class SpecialTokens(ByteTokenizer):
    """Its markers are special tokens, which have no bytes."""

    special_tokens = MappingProxyType(
        {300: "<tool_call>", 301: "</tool_call>", 302: "<think>", 303: "</think>"}
    )
    token_bytes = (*ByteTokenizer.token_bytes, *[b""] * 60)


@pytest.mark.parametrize("tools", [TOOLS, ()])
def test_markers_that_are_special_tokens_are_read(tools):
    reader = make_reader(tools=tools, tokenizer=SpecialTokens())
    call = list(b'{"name": "w", "arguments": {}}')
    ids = [302, *b"hm", 303, *b"Hi", 300, *call, 301, END_OF_TURN]

    events = [event for token_id in ids for event in reader.add(token_id)]
    events += reader.finish(FinishReason.STOP)

    thoughts = "".join(e.text for e in events if isinstance(e, ReasoningDelta))
    shown = "".join(e.text for e in events if isinstance(e, TextDelta))
    assert thoughts == "hm"
    # Without tools the markers are what they are for everybody else: not shown.
    assert shown == ("Hi" if tools else 'Hi{"name": "w", "arguments": {}}')
    assert any(isinstance(event, ToolCalled) for event in events) == bool(tools)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.sampled_from(["<think>", "</think>", CALL, "<tool_call>", "{", "#", "é", "a\n", " b"]),
        max_size=8,
    ).map("".join),
    st.sampled_from([(), ("#",), ("a\n b",)]),
    st.sampled_from(list(FinishReason)[:2]),
)
def test_nothing_is_lost_and_nothing_raises(text, stop, reason):
    thoughts, shown, calls, _ = read(make_reader(stop=stop), text, reason)

    marks = ("<think>", "</think>", CALL, "<tool_call>")
    left = text
    for mark in marks:
        left = left.replace(mark, "")
    if stop == ():
        for letter in "é{b":
            assert (thoughts + shown).count(letter) >= left.count(letter)
    assert all(name == "w" for name, _ in calls)
