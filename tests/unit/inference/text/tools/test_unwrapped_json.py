"""JSON without tags: a call only when it can mean nothing else."""

import pytest

from inference.text.tools.json_tags import FORMAT

CALL = '{"name": "w", "arguments": {"city": "Oslo"}}'
OSLO = ("w", {"city": "Oslo"})


@pytest.fixture
def weather(schemas):
    return schemas(w={"city": {"type": "string"}})


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"\n\n{CALL}\n",
        f"```json\n{CALL}\n```",
        f"{CALL}\n</tool_call>",
        '{"function": {"name": "w", "arguments": {"city": "Oslo"}}}',
        "{'name': 'w', 'arguments': {'city': 'Oslo'}}",
        '{"name": "w", "arguments": {"city": "Oslo"',
    ],
)
def test_an_envelope_alone_is_a_call(parse, weather, text):
    answer = parse(FORMAT, text, weather)

    assert (answer.content, answer.calls) == (None, [OSLO])


def test_prose_without_braces_may_come_first(parse, weather):
    answer = parse(FORMAT, f"Let me look.\n{CALL}", weather)

    assert (answer.content, answer.calls) == ("Let me look.\n", [OSLO])


def test_several_envelopes_are_several_calls(parse, weather):
    answer = parse(FORMAT, f"{CALL}\n{CALL}", weather)

    assert (answer.content, answer.calls) == (None, [OSLO, OSLO])


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "w"}',
        '{"name": "w", "age": 30}',
        '{"name": "w", "parameters": {"city": "Oslo"}}',
        '{"name": "unknown", "arguments": {}}',
        '{"tool_calls": [' + CALL + "]}",
        "Sets {a} and then " + CALL,
        '{"name": "Bingo", "age": 30}',
        "{",
        '{"name',
        "```json\n{}\n```",
        "```js\n",
        "int main() { return 0; }",
    ],
)
def test_other_json_and_other_braces_are_text(parse, weather, text):
    answer = parse(FORMAT, text, weather)

    assert (answer.content, answer.calls) == (text, [])
