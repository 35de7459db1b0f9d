"""Mistral's calls: a list, or names with arguments, and nothing that closes them."""

import pytest

from inference.text.tools.mistral import FORMAT

TWO = ("calc", {"expression": "2"})
THREE = ("calc", {"expression": "3"})


@pytest.fixture
def calculator(schemas):
    return schemas(calc={"expression": {"type": "string"}})


def test_a_list_may_hold_arguments_as_objects_or_as_json(parse, calculator):
    """Public case tp-20."""
    text = (
        '[TOOL_CALLS] [{"name": "calc", "arguments": {"expression": "2+3"}, "id": "abcdefghi"}, '
        '{"name": "calc", "arguments": "{\\"expression\\": \\"4\\"}"}]'
    )

    answer = parse(FORMAT, text, calculator)

    assert answer.content is None
    assert answer.calls == [("calc", {"expression": "2+3"}), ("calc", {"expression": "4"})]


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_CALLS]calc[ARGS]{"expression": "2"}[TOOL_CALLS]calc[ARGS]{"expression": "3"}',
        '[TOOL_CALLS]calc[ARGS]{"expression": "2"}calc[ARGS]{"expression": "3"}',
        '[TOOL_CALLS]calc[CALL_ID]a1B2[ARGS]{"expression": "2"}\n'
        '[TOOL_CALLS]calc[CALL_ID]a1B3[ARGS]{"expression": "3"}',
        '[TOOL_CALLS] calc [ARGS] {"expression": "2"} calc[ARGS]{"expression": "3"}',
    ],
)
def test_a_name_may_stand_before_its_arguments(parse, calculator, text):
    answer = parse(FORMAT, text, calculator)

    assert (answer.content, answer.calls) == (None, [TWO, THREE])


def test_text_behind_a_call_is_text(parse, calculator):
    answer = parse(FORMAT, '[TOOL_CALLS]calc[ARGS]{"expression": "2"} Done.', calculator)

    assert (answer.content, answer.calls) == (" Done.", [TWO])


def test_a_call_that_the_limit_cut_off_is_completed(parse, calculator):
    answer = parse(FORMAT, '[TOOL_CALLS]calc[ARGS]{"expression": "2', calculator)

    assert answer.calls == [TWO]


@pytest.mark.parametrize(
    "text",
    [
        "[TOOL_CALLS]",
        "[TOOL_CALLS]calc",
        "[TOOL_CALLS]calc[ARGS] soon {}",
        "[TOOL_CALLS]unknown[ARGS]{}",
        '[TOOL_CALLS][{"name": "unknown", "arguments": {}}]',
        "[TOOL_CALLS][]",
        "The marker [TOOL_CALLS] is special.",
    ],
)
def test_what_is_no_call_stays_in_the_text(parse, calculator, text):
    answer = parse(FORMAT, text, calculator)

    assert (answer.content, answer.calls) == (text, [])
