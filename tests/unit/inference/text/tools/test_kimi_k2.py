"""Kimi K2's sections."""

import pytest

from inference.text.tools.kimi_k2 import FORMAT


def call(number, arguments, name="functions.w"):
    return (
        f"<|tool_call_begin|>{name}:{number}<|tool_call_argument_begin|>"
        f"{arguments}<|tool_call_end|>"
    )


def section(*calls):
    return f"<|tool_calls_section_begin|>{''.join(calls)}<|tool_calls_section_end|>"


@pytest.fixture
def weather(schemas):
    return schemas(**{"w": {"city": {"type": "string"}}, "mcp.list": {}})


def test_calls_in_a_section_are_read(parse, weather):
    text = "Both.\n" + section(call(0, '{"city": "Oslo"}'), call(1, '{"city": "Lima"}'))

    answer = parse(FORMAT, text, weather)

    assert answer.content == "Both.\n"
    assert answer.calls == [("w", {"city": "Oslo"}), ("w", {"city": "Lima"})]


@pytest.mark.parametrize(
    ("head", "name"),
    [("w:0", "w"), ("functions.mcp.list:12", "mcp.list"), (" functions.w ", "w")],
)
def test_the_name_is_what_stands_between_prefix_and_number(parse, weather, head, name):
    text = f"<|tool_call_begin|>{head}<|tool_call_argument_begin|>{{}}<|tool_call_end|>"

    assert parse(FORMAT, text, weather).calls == [(name, {})]


def test_markers_in_a_string_are_data(parse, weather):
    text = section(call(0, '{"city": "<|tool_call_end|>"}'))

    assert parse(FORMAT, text, weather).calls == [("w", {"city": "<|tool_call_end|>"})]


def test_a_call_that_the_limit_cut_off_is_completed(parse, weather):
    text = section(call(0, '{"city": "Os'))[: -len("<|tool_call_end|><|tool_calls_section_end|>")]

    assert parse(FORMAT, text, weather).calls == [("w", {"city": "Os"})]


def test_an_unknown_tool_is_text_and_the_next_call_a_call(parse, weather):
    unknown = call(0, "{}", name="functions.unknown")

    answer = parse(FORMAT, section(unknown, call(1, "{}")), weather)

    assert answer.content == "<|tool_calls_section_begin|>" + unknown
    assert answer.calls == [("w", {})]
