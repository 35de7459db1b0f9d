"""Conversations that templates refuse, and what is tried before the caller is told so."""

from dataclasses import replace

import pytest

from inference.errors import InvalidRequest
from inference.messages import Message, Role, ToolCall
from inference.request import ChatPrompt
from inference.text.rendering import render_chat

CALLS = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content + '' }}{% for c in m.tool_calls or [] %}"
    "[{{ c.function.name }}{% for k, v in c.function.arguments|items %} {{ k }}={{ v }}"
    "{% endfor %}]{% endfor %}{% endfor %}"
)
SYSTEM_FIRST = (
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
    "{{ raise_exception('System message must be at the beginning.') }}{% endif %}"
    "<{{ m.role }}>{{ m.content }}{% endfor %}"
)
ALTERNATING = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "<{{ m.role }}>{{ m.content }}{% endfor %}"
)
ONE_SYSTEM = (
    "{% if messages[0].role == 'system' %}<system>{{ messages[0].content|trim }}{% endif %}"
    "{% for m in messages %}{% if m.role in ['user', 'assistant'] %}"
    "<{{ m.role }}>{{ m.content }}{% endif %}{% endfor %}"
)
SHORT_IDS = (
    "{% for m in messages %}<{{ m.role }}>{% for c in m.tool_calls or [] %}"
    "{% if c.id|length != 9 %}{{ raise_exception('ids must have length 9') }}{% endif %}"
    "{{ c.function.name }}{% endfor %}{% endfor %}"
)
ARGUMENTS_AS_TEXT = (
    "{% for m in messages %}<{{ m.role }}>{% for c in m.tool_calls or [] %}"
    "{{ c.function.name + c.function.arguments }}{% endfor %}{% endfor %}"
)
THOUGHTS_OR_TEXT = (
    "{% for m in messages %}{% if m.tool_calls and m.content and m.thinking %}"
    "{{ raise_exception('Cannot pass both content and thinking') }}{% endif %}"
    "<{{ m.role }}>{% if m.tool_calls %}({{ m.thinking or m.content }})"
    "{{ m.tool_calls[0].function.name }}{% else %}{{ m.content }}{% endif %}{% endfor %}"
)

REMINDED = (
    Message(Role.SYSTEM, "A"),
    Message(Role.USER, "hi"),
    Message(Role.ASSISTANT, "hello"),
    Message(Role.SYSTEM, "REMINDER"),
    Message(Role.USER, "go on"),
)
CALLED = (
    Message(Role.USER, "2+3?"),
    Message(Role.ASSISTANT, "", tool_calls=(ToolCall("call_1", "add", {"a": 2, "b": [3]}),)),
    Message(Role.TOOL, "5", extra={"tool_call_id": "call_1"}),
)


@pytest.fixture
def render(load_tokenizer):
    def render_with(template, messages):
        return render_chat(load_tokenizer(template), ChatPrompt(tuple(messages))).text

    return render_with


def test_calls_and_their_arguments_reach_the_template(render):
    # Public cases pr-01 and pr-02.
    assert render(CALLS, CALLED) == "<user>2+3?<assistant>[add a=2 b=[3]]<tool>5"


def test_a_late_system_message_stays_in_its_place(render):
    # Public case pr-06.
    assert render(SYSTEM_FIRST, REMINDED) == (
        "<system>A<user>hi<assistant>hello<user>REMINDER<user>go on"
    )


def test_several_system_messages_at_the_front_become_one(render):
    messages = (Message(Role.SYSTEM, "A"), Message(Role.SYSTEM, "B"), Message(Role.USER, "hi"))

    assert render(SYSTEM_FIRST, messages) == "<system>A\n\nB<user>hi"


def test_a_template_without_a_system_role_reads_it_in_the_first_question(render):
    assert render(ALTERNATING, REMINDED) == ("<user>A\n\nhi<assistant>hello<user>REMINDER\n\ngo on")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (ONE_SYSTEM, "<system>A<user>hi<assistant>hello<user>REMINDER<user>go on"),
        (
            ONE_SYSTEM.partition("{% endif %}")[2],
            "<user>A\n\nhi<assistant>hello<user>REMINDER<user>go on",
        ),
    ],
    ids=["only the first", "none"],
)
def test_a_system_message_that_a_template_passes_over_is_not_lost(render, template, expected):
    assert render(template, REMINDED) == expected


def test_a_template_that_rewrites_the_system_message_is_taken_at_its_word(render):
    template = "{% for m in messages %}{{ m.content|replace('A', 'B') }}{% endfor %}"

    assert render(template, REMINDED[:2]) == "Bhi"


def test_a_system_message_moves_to_the_front_when_nothing_else_helps(render):
    template = CALLS.replace(
        "<{{ m.role }}>",
        "{% if m.role == 'user' and loop.previtem and loop.previtem.role == 'tool' %}"
        "{{ raise_exception('no user after a tool') }}{% endif %}"
        "{% if m.role == 'system' and not loop.first %}{{ raise_exception('system first') }}"
        "{% endif %}<{{ m.role }}>",
    )

    text = render(template, (*CALLED, Message(Role.SYSTEM, "REMINDER")))

    assert text == "<system>REMINDER<user>2+3?<assistant>[add a=2 b=[3]]<tool>5"


def test_a_template_that_demands_short_ids_gets_them(render):
    assert render(SHORT_IDS, CALLED) == "<user><assistant>add<tool>"


def test_a_template_that_takes_thoughts_or_text_before_a_call_gets_both_as_thoughts(render):
    question, call, result = CALLED
    call = replace(call, text="Adding.", reasoning="hm")

    text = render(THOUGHTS_OR_TEXT, (question, call, result))

    assert text == "<user>2+3?<assistant>(hm\n\nAdding.)add<tool>5"


def test_a_template_that_concatenates_arguments_gets_their_text(render):
    assert render(ARGUMENTS_AS_TEXT, CALLED) == '<user><assistant>add{"a": 2, "b": [3]}<tool>'


@pytest.mark.parametrize(
    "template",
    [ONE_SYSTEM, ALTERNATING, "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"],
    ids=["results are passed over", "results are refused", "calls are passed over"],
)
def test_a_template_without_tools_reads_calls_and_results_as_text(render, template):
    assert render(template, CALLED) == (
        '<user>2+3?<assistant><tool_call>\n{"name": "add", "arguments": {"a": 2, "b": [3]}}\n'
        "</tool_call><user><tool_response>\n5\n</tool_response>"
    )


def test_a_result_that_the_template_quotes_is_not_taken_for_lost(render):
    template = (
        "{% for m in messages %}<{{ m.role }}>{{ m.tool_calls[0].function.name if m.tool_calls }}"
        "{{ m.content|tojson if m.role == 'tool' }}{% endfor %}"
    )
    result = Message(Role.TOOL, '{"sum": "5"}', extra={"tool_call_id": "call_1"})

    assert render(template, (*CALLED[:2], result)) == (
        '<user><assistant>add<tool>"{\\"sum\\": \\"5\\"}"'
    )


def test_the_refusal_of_the_conversation_as_it_is_reaches_the_caller(render):
    template = "{{ raise_exception('refused with ' ~ messages|length) }}"

    with pytest.raises(InvalidRequest, match="prompt build failed: refused with 5") as raised:
        render(template, REMINDED)

    assert raised.value.param == "messages"


def test_arguments_nested_beyond_reason_are_the_callers_error(render):
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    call = Message(Role.ASSISTANT, "", tool_calls=(ToolCall("c", "f", deep),))

    with pytest.raises(InvalidRequest, match="recursion"):
        render(CALLS, (call,))
