"""Thinking on, off, and how deep, in the words of different templates."""

import pytest

from inference.text.thinking import thinking_options, thinks_by_default

QWEN = "{% if enable_thinking is false %}<think></think>{% endif %}"
DEPTH = "{% if reasoning_effort == 'xhigh' %}{% endif %}" + QWEN
HARMONY = "Reasoning: {{ reasoning_effort }} low medium high"


@pytest.mark.parametrize(
    ("template", "thinking", "expected"),
    [
        (QWEN, None, {}),
        (QWEN, True, {"enable_thinking": True}),
        (QWEN, False, {"enable_thinking": False}),
        ("{% if thinking %}<think>{% endif %}", False, {"thinking": False}),
        ("no switch at all", True, {"enable_thinking": True}),
    ],
)
def test_the_switch_has_the_templates_name(template, thinking, expected):
    assert thinking_options(template, thinking, None) == expected


@pytest.mark.parametrize(
    ("effort", "deepest_is_xhigh", "deepest_is_high"),
    [
        ("minimal", "low", "low"),
        ("low", "low", "low"),
        ("medium", "medium", "medium"),
        ("high", "xhigh", "high"),
        ("xhigh", "xhigh", "high"),
    ],
)
def test_the_level_becomes_a_word_that_the_template_knows(
    effort, deepest_is_xhigh, deepest_is_high
):
    assert thinking_options(DEPTH, None, effort) == {"reasoning_effort": deepest_is_xhigh}
    assert thinking_options(HARMONY, None, effort) == {"reasoning_effort": deepest_is_high}
    assert thinking_options(QWEN, None, effort) == {}


def test_some_models_answer_directly_unless_told():
    assert thinks_by_default("minicpm5") is False
    assert thinks_by_default("qwen3") is None
