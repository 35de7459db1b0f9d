"""Anthropic's switches for thinking, known and unknown."""

import pytest

from inference.api.anthropic.reasoning import asks_for_thinking, reasoning_effort, thinking
from inference.errors import InvalidRequest


@pytest.mark.parametrize(
    ("value", "thinks", "asked"),
    [
        (None, None, False),
        ({}, None, False),
        ({"type": None}, None, False),
        ({"type": "enabled", "budget_tokens": 64}, True, True),
        ({"type": "disabled"}, False, False),
        ({"type": "adaptive"}, None, True),
        ({"type": "whatever-comes-next"}, None, True),
    ],
)
def test_thinking_is_on_off_or_left_to_the_server(value, thinks, asked):
    """Public case an-09: an unknown type is ignored."""
    body = {"thinking": value}

    assert (thinking(body), asks_for_thinking(body)) == (thinks, asked)


@pytest.mark.parametrize(
    ("given", "effort"),
    [
        (None, None),
        ("low", "low"),
        ("medium", "medium"),
        ("high", "high"),
        ("xhigh", "xhigh"),
        ("max", "xhigh"),
        ("whatever-comes-next", None),
    ],
)
def test_the_effort_is_one_of_ours(given, effort):
    assert reasoning_effort({"output_config": {"effort": given}}) == effort


def test_without_an_output_configuration_there_is_no_effort():
    assert reasoning_effort({}) is None


@pytest.mark.parametrize(
    ("read", "body", "message"),
    [
        (thinking, {"thinking": True}, "thinking must be an object"),
        (thinking, {"thinking": {"type": 1}}, "thinking.type must be a string"),
        (reasoning_effort, {"output_config": []}, "output_config must be an object"),
        (
            reasoning_effort,
            {"output_config": {"effort": 1}},
            "output_config.effort must be a string",
        ),
    ],
)
def test_wrong_types_are_refused(read, body, message):
    with pytest.raises(InvalidRequest) as raised:
        read(body)

    assert raised.value.message == message
