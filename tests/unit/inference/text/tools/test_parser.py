"""What streams at once, what is held, and what comes of it."""

import pytest

from inference.text.tools.base import Buffering, ParsedCall, Text
from inference.text.tools.json_tags import FORMAT
from inference.text.tools.parser import ToolCallParser

CALL = '<tool_call>\n{"name": "w", "arguments": {"city": "Oslo"}}\n</tool_call>'
OTHER = CALL.replace("Oslo", "Lima")


@pytest.fixture
def parser(schemas):
    return ToolCallParser(FORMAT, schemas(w={"city": {"type": "string"}}))


def call(city, markup):
    return ParsedCall("w", {"city": city}, markup)


def test_text_streams_at_once_and_only_a_possible_beginning_is_held(parser):
    assert parser.feed("a < b") == [Text("a < b")]
    assert parser.feed(" and <tool") == [Text(" and ")]
    assert parser.feed(" is") == [Text("<tool is")]


def test_markup_is_buffered_and_a_complete_call_comes_at_once(parser):
    assert parser.feed("Hi.\n<tool_call>\n") == [Text("Hi.\n")]
    assert parser.feed('{"name": "w", "argum') == [Buffering()]
    assert parser.feed('ents": {"city": "Oslo"}}\n') == [Buffering()]
    assert parser.feed("</tool_call>") == [call("Oslo", CALL)]
    assert parser.finish() == []


@pytest.mark.parametrize(
    ("text", "content", "cities"),
    [
        (f"Now the tests.\n\n{CALL}\n{OTHER}", "Now the tests.\n\n", ["Oslo", "Lima"]),
        ("a < b and <tool is not a call", "a < b and <tool is not a call", []),
        ("<tool_cal", "<tool_cal", []),
    ],
)
def test_every_split_in_two_gives_the_same(feed_once, schemas, text, content, cities):
    """Public case st-03."""
    tools = schemas(w={"city": {"type": "string"}})
    splits = [[text[:at], text[at:]] for at in range(len(text) + 1)]

    for pieces in [*splits, list(text)]:
        answer = feed_once(pieces, FORMAT, tools)
        assert answer.content == content
        assert answer.calls == [("w", {"city": city}) for city in cities]


def test_blank_text_beside_calls_is_layout(parser):
    events = parser.feed(f"\n\n{CALL}\n\n{OTHER}\n") + parser.finish()

    assert events == [call("Oslo", f"\n\n{CALL}"), call("Lima", f"\n\n{OTHER}")]


def test_blank_text_that_no_call_follows_is_kept(parser):
    assert parser.feed("\n  ") == []
    assert parser.feed("code") == [Text("\n  code")]


def test_an_answer_of_nothing_but_blank_is_kept(parser):
    assert parser.feed(" \n") + parser.finish() == [Text(" \n")]


def test_text_behind_a_call_keeps_the_blank_before_it(parser):
    events = parser.feed(f"{CALL}\n\nDone.")

    assert events == [call("Oslo", CALL), Text("\n\nDone.")]


def test_what_turns_out_to_be_no_call_comes_as_text_once_that_is_known(parser):
    assert parser.feed("<tool_call>{}") == [Buffering()]
    assert parser.feed("</tool_call> and") == [Text("<tool_call>{}</tool_call> and")]


def test_the_end_releases_what_is_held(parser):
    assert parser.feed('<tool_call>{"name": "x"') == [Buffering()]
    assert parser.finish() == [Text('<tool_call>{"name": "x"')]


def test_arguments_are_written_as_json(schemas):
    parser = ToolCallParser(FORMAT, schemas(say={"text": {"type": "string"}}))
    envelope = '{"name": "say", "arguments": {"text": "\\ud83c"}}'

    [found] = parser.feed(f"<tool_call>{envelope}</tool_call>")

    assert found.arguments_json.encode() == '{"text": "\N{REPLACEMENT CHARACTER}"}'.encode()
