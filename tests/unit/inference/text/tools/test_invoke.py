"""The formats that share `invoke` and `parameter`, under each one's names."""

import pytest

from inference.text.tools import deepseek, minimax, muse_spark

MARK = "\N{FULLWIDTH VERTICAL LINE}DSML\N{FULLWIDTH VERTICAL LINE}"
NAMES = {
    "minimax": (minimax.FORMAT, "", "minimax:tool_call"),
    "muse_spark": (muse_spark.FORMAT, "atem:", "atem:function_calls"),
    "deepseek": (deepseek.FORMAT, MARK, f"{MARK}function_calls"),
}


@pytest.fixture(params=NAMES)
def names(request):
    return NAMES[request.param]


def invoke(prefix, name, parameters):
    inner = "".join(
        f'<{prefix}parameter name="{key}"{extra}>{value}</{prefix}parameter>\n'
        for key, value, extra in parameters
    )
    return f'<{prefix}invoke name="{name}">\n{inner}</{prefix}invoke>\n'


def test_calls_in_a_block_are_read(parse, schemas, names):
    tool_format, prefix, block = names
    tools = schemas(w={"city": {"type": "string"}, "days": {"type": "integer"}}, now={})
    text = (
        f"<{block}>\n"
        + invoke(prefix, "w", [("city", " Oslo\n", ""), ("days", "3", "")])
        + invoke(prefix, "now", [])
        + f"</{block}>"
    )

    answer = parse(tool_format, "Both.\n" + text, tools)

    assert answer.content == "Both.\n"
    assert answer.calls == [("w", {"city": " Oslo\n", "days": 3}), ("now", {})]


def test_an_attribute_may_say_that_a_value_is_text(parse, schemas, names):
    tool_format, prefix, block = names
    parameters = [("a", "1", ' string="true"'), ("b", "1", ' string="false"')]
    text = f"<{block}>{invoke(prefix, 'w', parameters)}</{block}>"

    assert parse(tool_format, text, schemas(w={})).calls == [("w", {"a": "1", "b": 1})]


def test_closers_in_a_value_are_data(parse, schemas, names):
    tool_format, prefix, block = names
    value = f"<{prefix}parameter>\n</{prefix}parameter> x </{prefix}invoke> x </{block}>"
    text = f"<{block}>{invoke(prefix, 'w', [('a', value, '')])}</{block}>"

    answer = parse(tool_format, text, schemas(w={"a": {"type": "string"}}))

    assert (answer.content, answer.calls) == (None, [("w", {"a": value})])


def test_an_unknown_tool_leaves_its_block_in_the_text_and_the_next_call_a_call(
    parse, schemas, names
):
    tool_format, prefix, block = names
    unknown = f"<{block}>\n{invoke(prefix, 'unknown', [])}"
    text = f"{unknown}{invoke(prefix, 'w', [])}</{block}>"

    answer = parse(tool_format, text, schemas(w={}))

    assert answer.content.rstrip() == unknown.rstrip()
    assert answer.calls == [("w", {})]
