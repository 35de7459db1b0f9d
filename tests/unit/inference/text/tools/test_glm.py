"""GLM's pairs: no arguments, values without a frame, closers in values, JSON instead."""

import pytest

from inference.text.tools.glm import FORMAT

TEXT = {"type": "string"}


def call(name, **arguments):
    pairs = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"
        for key, value in arguments.items()
    )
    return f"<tool_call>{name}\n{pairs}</tool_call>"


def test_a_call_may_have_no_arguments(parse, schemas):
    """Public case tp-16."""
    tools = schemas(get_time={}, glob={"pattern": TEXT, "limit": {"type": "integer"}})
    text = "<tool_call>get_time</tool_call>\n" + call("glob", pattern="**/notes.md", limit=3)

    answer = parse(FORMAT, text, tools)

    assert answer.content is None
    assert answer.calls == [("get_time", {}), ("glob", {"pattern": "**/notes.md", "limit": 3})]


@pytest.mark.parametrize(
    "value",
    [
        "    indented\n",
        "\n\n",
        "{'a': 1}",
        "10001",
        "</arg_value> in text",
        "</tool_call> in text",
        "<arg_key>",
        "<tool_call>",
        "&lt;",
    ],
)
def test_text_is_kept_byte_for_byte(parse, schemas, value):
    answer = parse(FORMAT, call("say", text=value), schemas(say={"text": TEXT}))

    assert (answer.content, answer.calls) == (None, [("say", {"text": value})])


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>w<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
        "<tool_call>\nw\n<arg_key>city<arg_value>Oslo</arg_value>\n</tool_call>",
        "<tool_call>w<arg_key>city</arg_key><arg_value>Oslo</arg_value>",
        "<tool_call>w<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_cal",
        "<tool_call>w<arg_key>city</arg_key><arg_value>Oslo</tool_call>",
        "<tool_call>w<arg_key>city</arg_key><arg_value>Oslo",
        '<tool_call>{"name": "w", "arguments": {"city": "Oslo"}}</tool_call>',
    ],
)
def test_forgotten_tags_lose_no_call(parse, schemas, text):
    answer = parse(FORMAT, text, schemas(w={"city": TEXT}))

    assert (answer.content, answer.calls) == (None, [("w", {"city": "Oslo"})])


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>unknown</tool_call>",
        "<tool_call>w and more</tool_call>",
        "<tool_call></tool_call>",
        "The <tool_call> tag.",
    ],
)
def test_what_is_no_call_stays_in_the_text(parse, schemas, text):
    answer = parse(FORMAT, text, schemas(w={"city": TEXT}))

    assert (answer.content, answer.calls) == (text, [])
