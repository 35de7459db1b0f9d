"""LongCat's tags: GLM's format under other names."""

from inference.text.tools.longcat import FORMAT


def test_a_call_is_read(parse, schemas):
    text = (
        "<longcat_tool_call>w\n<longcat_arg_key>city</longcat_arg_key>\n"
        "<longcat_arg_value>Oslo</longcat_arg_value>\n</longcat_tool_call>"
    )

    answer = parse(FORMAT, text, schemas(w={"city": {"type": "string"}}))

    assert (answer.content, answer.calls) == (None, [("w", {"city": "Oslo"})])


def test_json_in_the_tags_is_read(parse, schemas):
    text = '<longcat_tool_call>{"name": "w", "arguments": {}}</longcat_tool_call>'

    assert parse(FORMAT, text, schemas(w={})).calls == [("w", {})]
