"""JSON between tags: repairs, closers in strings, and text around the calls."""

import json

import pytest

from inference.text.tools.base import Text
from inference.text.tools.json_tags import FORMAT
from inference.text.tools.parser import ToolCallParser

TEXT = {"type": "string"}
OSLO = ("w", {"city": "Oslo"})


@pytest.fixture
def weather(schemas):
    return schemas(w={"city": TEXT})


def call(name, arguments):
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def test_prose_before_calls_is_text_and_the_blank_between_them_is_not(parse, weather):
    """Public cases tp-09 and st-01."""
    text = "I will check both.\n" + call(*OSLO) + "\n" + call("w", {"city": "Lima"})

    answer = parse(FORMAT, text, weather)

    assert answer.content.strip() == "I will check both."
    assert answer.calls == [OSLO, ("w", {"city": "Lima"})]


def test_a_call_that_the_limit_cut_off_has_arguments_that_are_json(parse, schemas):
    """Public case tp-12."""
    tools = schemas(write={"path": TEXT, "content": TEXT})
    text = (
        '<tool_call>\n{"name": "write", "arguments": {"path": "a.txt", "content": "line one\\nline'
    )

    answer = parse(FORMAT, text, tools)

    assert answer.content is None
    assert answer.calls == [("write", {"path": "a.txt", "content": "line one\nline"})]


def test_a_surrogate_pair_is_one_character(parse, schemas):
    """Public case tp-25."""
    text = (
        '<tool_call>\n{"name": "say", "arguments": '
        '{"text": "drink \\ud83c\\udf78 caf\\u00e9"}}\n</tool_call>'
    )

    answer = parse(FORMAT, text, schemas(say={"text": TEXT}))

    assert answer.calls == [("say", {"text": "drink \N{COCKTAIL GLASS} café"})]


@pytest.mark.parametrize(
    "body",
    [
        '```json\n{"name": "w", "arguments": {"city": "Oslo"}}\n```',
        'Sure, here it is: {"name": "w", "arguments": {"city": "Oslo"}}',
        '{"name": "w", "arguments": {"city": "Oslo",},}',
        '{"name": "w", "arguments": {"city": "Oslo"',
        "{'name': 'w', 'arguments': {'city': 'Oslo'}}",
        '{"arguments": {"name": "w", "city": "Oslo"}}',
        '{"name": "w", "arguments": "{\\"city\\": \\"Oslo\\"}"}',
        '{"name": "w", "arguments": "{\'city\': \'Oslo\',}"}',
        '{"name": "w", "parameters": {"city": "Oslo"}}',
        '{"type": "function", "function": {"name": "w", "arguments": {"city": "Oslo"}}}',
        '{"function": "w", "arguments": {"city": "Oslo"}}',
        '[{"name": "w", "arguments": {"city": "Oslo"}}]',
    ],
)
@pytest.mark.parametrize("end", ["\n</tool_call>", "</tool_call>", ""])
def test_a_body_that_is_almost_right_is_a_call(parse, weather, body, end):
    answer = parse(FORMAT, "<tool_call>\n" + body + end, weather)

    assert (answer.content, answer.calls) == (None, [OSLO])


@pytest.mark.parametrize(
    "body",
    [
        "nothing",
        "{}",
        "[]",
        '{"name": "unknown", "arguments": {}}',
        '{"name": "w", "arguments": [1]}',
        '{"name": "w", "arguments": "Oslo"}',
        '{"name": "w", "city": "Oslo"}',
        '{"name": "w", "arguments": {"city": NaN}}',
        '{"name": "w", "arguments": {"city": "Oslo"}]',
        '{"name": "w", "description": "Weather.", "parameters": {"type": "object"}}',
        '[{"name": "w", "arguments": {}}, {"name": "unknown", "arguments": {}}]',
        '{"name": "w", "arguments": {"a": ' + "[" * 150 + "]" * 150 + "}}",
    ],
)
def test_a_body_that_is_no_call_stays_in_the_text(parse, weather, body):
    text = f"Look: <tool_call>{body}</tool_call> and on."

    answer = parse(FORMAT, text, weather)

    assert (answer.content, answer.calls) == (text, [])


def test_tags_in_a_string_are_data(parse, schemas):
    arguments = {"text": 'a "quoted" </tool_call>\n<tool_call> \\ { \' end'}

    answer = parse(FORMAT, call("say", arguments), schemas(say={"text": TEXT}))

    assert (answer.content, answer.calls) == (None, [("say", arguments)])


@pytest.mark.parametrize("city", ['Os"lo', 'O"s"lo', "Oslo\\"])
def test_a_quote_too_many_does_not_swallow_the_next_call(parse, weather, city):
    broken = f'<tool_call>{{"name": "w", "arguments": {{"city": "{city}"}}}}</tool_call>\n'

    answer = parse(FORMAT, broken + call(*OSLO), weather)

    assert (answer.content, answer.calls) == (broken, [OSLO])


def test_a_forgotten_closing_tag_does_not_swallow_the_next_call(parse, weather):
    text = call(*OSLO).removesuffix("</tool_call>") + call(*OSLO)

    answer = parse(FORMAT, text, weather)

    assert (answer.content, answer.calls) == (None, [OSLO, OSLO])


def test_a_tag_that_is_only_spoken_of_does_not_hide_a_later_call(parse, weather):
    answer = parse(FORMAT, "I wrap it in <tool_call> tags: " + call(*OSLO), weather)

    assert (answer.content, answer.calls) == ("I wrap it in <tool_call> tags: ", [OSLO])


def test_long_prose_behind_a_tag_is_not_held_back_to_the_end(weather):
    parser = ToolCallParser(FORMAT, weather)
    prose = " and many words" * 20

    held = parser.feed("A <tool_call> tag")
    shown = parser.feed(prose)

    assert held == [Text("A ")]
    assert shown == [Text("<tool_call> tag" + prose)]


def test_a_call_without_arguments_has_none(parse, schemas):
    answer = parse(FORMAT, '<tool_call>{"name": "now"}</tool_call>', schemas(now={}))

    assert answer.calls == [("now", {})]


def test_text_for_an_argument_that_must_not_be_text_is_decoded(parse, schemas):
    tools = schemas(edit={"edits": {"type": "array"}, "note": TEXT, "count": {"type": "integer"}})
    arguments = {"edits": '[{"a": 1}]', "note": "[1]", "count": "many"}

    answer = parse(FORMAT, call("edit", arguments), tools)

    assert answer.calls == [("edit", {"edits": [{"a": 1}], "note": "[1]", "count": "many"})]
