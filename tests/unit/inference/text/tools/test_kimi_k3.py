"""Kimi K3's markup."""

import pytest

from inference.text.tools.kimi_k3 import FORMAT


def block(*calls):
    return f"<|open|>tools<|sep|>\n{''.join(calls)}<|close|>tools<|sep|>"


def call(inner, name="w"):
    return f'<|open|>call tool="{name}" index="0"<|sep|>{inner}<|close|>call<|sep|>\n'


def argument(key, value, kind):
    return f'<|open|>argument key="{key}" type="{kind}"<|sep|>{value}<|close|>argument<|sep|>'


@pytest.fixture
def weather(schemas):
    return schemas(w={"days": {"type": "integer"}}, now={})


def test_arguments_have_the_type_that_the_markup_names(parse, weather):
    inner = argument("city", "10", "string") + argument("days", "3", "integer")

    answer = parse(FORMAT, "Here.\n" + block(call(inner), call("", "now")), weather)

    assert answer.content == "Here.\n"
    assert answer.calls == [("w", {"city": "10", "days": 3}), ("now", {})]


def test_arguments_may_be_one_json_object(parse, weather):
    json = '<|open|>json type="object"<|sep|>{"city": "<|close|>json"}<|close|>json<|sep|>'

    answer = parse(FORMAT, block(call(json), call(json)), weather)

    assert answer.content is None
    assert answer.calls == [("w", {"city": "<|close|>json"})] * 2


def test_names_are_unescaped(parse, weather):
    inner = argument("a&quot;b&amp;", "x", "string")

    assert parse(FORMAT, block(call(inner)), weather).calls == [("w", {'a"b&': "x"})]


def test_an_unknown_tool_is_text(parse, weather):
    text = block(call("", "unknown"))

    assert parse(FORMAT, text, weather).content == text
