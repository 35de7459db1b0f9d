"""Reasoning, text and calls of one answer together."""

import pytest

from inference.text.reasoning import ReasoningSplitter, choose_reasoning
from inference.text.tools import gemma4, json_tags, qwen_xml
from inference.text.tools.answer import AnswerParser, ReasoningText
from inference.text.tools.base import Buffering, ParsedCall, Text

THINK = choose_reasoning("<think></think>")
GEMMA = choose_reasoning("<|channel><channel|>")
CALL = "<tool_call>\n<function=w>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"
OSLO = ("w", {"city": "Oslo"})


@pytest.fixture
def weather(schemas):
    return schemas(w={"city": {"type": "string"}})


@pytest.fixture
def read(parse, weather):
    """Read an answer in Qwen's format; return reasoning, content and calls."""

    def read_text(text, *, is_open=False, tool_format=qwen_xml.FORMAT, reasoning=THINK):
        answer = parse(
            tool_format, text, weather, lambda: ReasoningSplitter(reasoning, is_open=is_open)
        )
        return answer.reasoning, answer.content, answer.calls

    return read_text


def test_a_call_that_ends_unclosed_reasoning_is_a_call(parse, schemas):
    """Public case tp-10."""
    text = (
        "<think>\nNeed the file.\n<tool_call>\n<function=read>\n<parameter=filePath>\n"
        "probe.txt\n</parameter>\n</function>\n</tool_call>"
    )

    answer = parse(
        qwen_xml.FORMAT,
        text,
        schemas(read={"filePath": {"type": "string"}}),
        lambda: ReasoningSplitter(THINK, is_open=False),
    )

    assert (answer.reasoning, answer.content) == ("Need the file.", None)
    assert answer.calls == [("read", {"filePath": "probe.txt"})]


def test_several_calls_may_end_unclosed_reasoning(read):
    assert read(f"a\n{CALL}\n{CALL}\n", is_open=True) == ("a", None, [OSLO, OSLO])


@pytest.mark.parametrize("rest", ["and on", "\nand on", CALL[:-30], "<tool_call>"])
def test_a_call_in_reasoning_that_goes_on_is_reasoning(read, rest):
    text = f"a {CALL} {rest}"

    assert read(text, is_open=True) == (text, None, [])


@pytest.mark.parametrize("end", [20, 60, len(CALL) - 3])
def test_a_call_in_reasoning_that_the_limit_cut_off_is_reasoning(read, end):
    text = f"a {CALL[:end]}".rstrip()

    assert read(text, is_open=True) == (text, None, [])


@pytest.mark.parametrize("answer", ["", "b", CALL])
def test_a_call_in_closed_reasoning_is_reasoning(read, answer):
    calls = [OSLO] if answer == CALL else []
    content = None if answer in ("", CALL) else answer

    result = read(f"<think>\nMaybe {CALL}\n</think>\n\n{answer}")

    assert result == (f"Maybe {CALL}", content, calls)


def test_an_opening_tag_in_reasoning_does_not_reach_beyond_it(read):
    text = f"<think>Say <tool_call>\n<function=name</think>\n\nNow:\n{CALL}"

    assert read(text) == ("Say <tool_call>\n<function=name", "Now:\n", [OSLO])


def test_json_in_reasoning_is_reasoning(read):
    json = '{"name": "w", "arguments": {"city": "Oslo"}}'

    assert read(json, is_open=True) == (json, None, [])


def test_reasoning_text_and_calls_come_in_order(read):
    result = read(f"<think>\na\n</think>\n\nb\n\n{CALL}\n")

    assert result == ("a", "b\n\n", [OSLO])


def test_gemmas_channels_and_calls_are_told_apart(read):
    text = (
        "<|channel>thought\nA call: <|tool_call>\n<channel|>"
        '<|tool_call>call:w{city:<|"|>Oslo<|"|>}<tool_call|>'
    )

    result = read(text, tool_format=gemma4.FORMAT, reasoning=GEMMA)

    assert result == ("A call: <|tool_call>", None, [OSLO])


def test_without_tools_markup_is_text(read):
    assert read(f"<think>{CALL}</think>{CALL}", tool_format=None) == (CALL, CALL, [])


def test_without_reasoning_its_tags_are_text(parse, weather):
    answer = parse(json_tags.FORMAT, "<think>a</think>b", weather)

    assert (answer.reasoning, answer.content) == (None, "<think>a</think>b")


def test_held_reasoning_shows_that_something_arrived(weather):
    parser = AnswerParser(
        splitter=ReasoningSplitter(THINK, is_open=True),
        tool_format=qwen_xml.FORMAT,
        tools=weather,
    )

    assert parser.feed("a") == [ReasoningText("a")]
    assert parser.feed(CALL[:30]) == [Buffering()]
    assert parser.feed(CALL[30:]) == [Buffering()]
    assert parser.feed(" or not") == [ReasoningText(CALL + " or not")]
    assert parser.feed(" so</think>b") == [ReasoningText(" so"), Text("b")]
    assert parser.feed(CALL) == [ParsedCall("w", {"city": "Oslo"}, CALL)]
    assert parser.finish() == []
