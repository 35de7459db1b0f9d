"""Qwen's XML: values byte for byte, closers in data, and what models forget."""

import pytest

from inference.text.tools.qwen_xml import FORMAT
from inference.text.tools.schema import ToolSchemas

TEXT = {"type": "string"}


@pytest.fixture
def edit(schemas):
    return schemas(edit={"path": TEXT, "old_string": TEXT, "new_string": TEXT})


def call(name, **arguments):
    """Markup as the model's template writes it."""
    parameters = "".join(
        f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items()
    )
    return f"<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>"


def test_one_newline_at_either_end_of_a_value_is_framing_and_all_else_is_data(parse, edit):
    """Public case tp-01."""
    arguments = {
        "path": "src/a.py",
        "old_string": "    def foo():\n        return bar\n",
        "new_string": "\tdef foo():\n\t\treturn baz  ",
    }

    answer = parse(FORMAT, call("edit", **arguments), edit)

    assert (answer.content, answer.calls) == (None, [("edit", arguments)])


def test_entities_and_escapes_are_left_as_they_are(parse, edit):
    """Public case tp-02."""
    arguments = {
        "path": "t.html",
        "old_string": "<b>R&amp;D &lt;3 &#39;q&#x27; &nbsp;</b>",
        "new_string": '{"a": "\\n\\u00e9"}',
    }

    answer = parse(FORMAT, call("edit", **arguments), edit)

    assert (answer.content, answer.calls) == (None, [("edit", arguments)])


def test_a_closing_tag_in_a_value_is_data_unless_markup_goes_on_behind_it(parse, edit):
    """Public case tp-03."""
    arguments = {
        "path": "notes.md",
        "old_string": "A block ends with </parameter> here, then </tool_call> too.",
        "new_string": "ok",
    }

    answer = parse(FORMAT, call("edit", **arguments), edit)

    assert (answer.content, answer.calls) == (None, [("edit", arguments)])


@pytest.mark.parametrize(
    "value",
    [
        "x</parameter>y",
        "</parameter>",
        "a\n</function>\nb",
        "</function></tool_call> and on",
        "</tool_call>\n<tool_call>",
        "<parameter=path>",
        "<function=edit>",
        "<tool_call>\n<function=edit>\n",
        "</param",
        "</parameter></tool_call> as closers",
    ],
)
def test_markup_in_a_value_survives(parse, edit, value):
    arguments = {"path": "a", "old_string": value, "new_string": "b"}

    assert parse(FORMAT, call("edit", **arguments), edit).calls == [("edit", arguments)]


def test_values_have_the_types_that_unions_and_references_allow(parse):
    """Public case tp-05."""
    parameters = {
        "type": "object",
        "properties": {
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 1},
            "verbose": {"type": ["boolean", "null"]},
            "target": {"$ref": "#/$defs/Target"},
            "label": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["count"],
        "$defs": {"Target": {"type": "object", "properties": {"host": TEXT}}},
    }
    tools = ToolSchemas(
        [{"type": "function", "function": {"name": "run", "parameters": parameters}}]
    )
    text = call("run", count=5, verbose="false", target='{"host": "h", "ports": [1, 2]}', label=5)

    answer = parse(FORMAT, text, tools)

    arguments = {
        "count": 5,
        "verbose": False,
        "target": {"host": "h", "ports": [1, 2]},
        "label": "5",
    }
    assert (answer.content, answer.calls) == (None, [("run", arguments)])


def test_a_value_that_is_not_of_its_type_stays_text(parse, schemas):
    """Public case tp-07."""
    tools = schemas(log_event={"day": {"type": "integer"}, "meta": {"type": "object"}})

    answer = parse(FORMAT, call("log_event", day="2026-01-15", meta="{not json"), tools)

    assert answer.content is None
    assert answer.calls == [("log_event", {"day": "2026-01-15", "meta": "{not json"})]


def test_pythons_literals_are_read_outside_of_strings_only(parse, schemas):
    """Public case tp-08."""
    tools = schemas(
        search={
            "terms": {"type": "array"},
            "opts": {"type": "object"},
            "exact": {"type": "boolean"},
            "note": TEXT,
        }
    )
    text = call(
        "search",
        terms="['it\\'s', \"two\", None]",
        opts="{'deep': True, 'note': 'True story'}",
        exact="True",
        note="True",
    )

    answer = parse(FORMAT, text, tools)

    arguments = {
        "terms": ["it's", "two", None],
        "opts": {"deep": True, "note": "True story"},
        "exact": True,
        "note": "True",
    }
    assert (answer.content, answer.calls) == (None, [("search", arguments)])


def test_an_array_of_edits_is_not_taken_for_the_call(parse, schemas):
    edits = '[{"name": "edit", "arguments": {"a": 1}}]'
    tools = schemas(edit={"edits": {"type": "array"}})

    answer = parse(FORMAT, call("edit", edits=edits), tools)

    assert answer.calls == [("edit", {"edits": [{"name": "edit", "arguments": {"a": 1}}]})]


@pytest.mark.parametrize(
    "text",
    [
        "<function=w>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
        "<function=w>\n<parameter=city>\nOslo\n</parameter>\n</function>",
        "<tool_call>\n<function=w>\n<parameter=city>\nOslo\n</parameter>\n</function>",
        "<tool_call>\n<function=w>\n<parameter=city>\nOslo\n</parameter>\n</tool_call>",
        "<tool_call>\n<function=w>\n<parameter=city>\nOslo\n</function>\n</tool_call>",
        "<tool_call>\n<function=w\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
        "<tool_call><function=w><parameter=city>Oslo</parameter></function></tool_call>",
        '<tool_call>\n{"name": "w", "arguments": {"city": "Oslo"}}\n</tool_call>',
        '{"name": "w", "arguments": {"city": "Oslo"}}\n</tool_call>',
    ],
)
def test_forgotten_tags_lose_no_call(parse, schemas, text):
    tools = schemas(w={"city": TEXT})

    answer = parse(FORMAT, text, tools)

    assert (answer.content, answer.calls) == (None, [("w", {"city": "Oslo"})])


def test_a_forgotten_closing_tag_does_not_swallow_the_next_call(parse, schemas):
    tools = schemas(w={"city": TEXT})
    broken = "<tool_call>\n<function=w>\n<parameter=city>\nOslo\n</function>\n</tool_call>\n"

    answer = parse(FORMAT, broken + call("w", city="Lima"), tools)

    assert answer.content is None
    assert answer.calls == [("w", {"city": "Oslo"}), ("w", {"city": "Lima"})]


def test_several_functions_in_one_block_are_several_calls(parse, schemas):
    tools = schemas(a={}, b={"n": {"type": "integer"}})
    text = (
        "<tool_call>\n<function=a>\n</function>\n"
        "<function=b>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>"
    )

    answer = parse(FORMAT, text, tools)

    assert (answer.content, answer.calls) == (None, [("a", {}), ("b", {"n": 1})])


def test_a_call_of_an_unknown_tool_is_text_with_all_that_is_in_it(parse, schemas):
    inner = call("w", city="Oslo")
    text = call("write", content=inner.replace("\n", " "))

    answer = parse(FORMAT, text, schemas(w={"city": TEXT}))

    assert (answer.content, answer.calls) == (text, [])


def test_a_tag_that_is_only_spoken_of_does_not_hide_a_later_call(parse, schemas):
    prose = "Calls begin with <tool_call> or <function=name>, as here:\n"

    answer = parse(FORMAT, prose + call("w", city="Oslo"), schemas(w={"city": TEXT}))

    assert (answer.content, answer.calls) == (prose, [("w", {"city": "Oslo"})])


def test_a_call_that_the_limit_cut_off_keeps_what_its_values_have(feed_once, schemas):
    tools = schemas(write={"path": TEXT, "content": TEXT})
    text = call("write", path="a.txt", content="line one\nline two")

    for size in range(len("<tool_call>\n<function=write>"), len(text)):
        answer = feed_once([text[:size]], FORMAT, tools)

        [(name, arguments)] = answer.calls
        assert (answer.content, name) == (None, "write")
        assert arguments.keys() <= {"path", "content"}
        assert "a.txt".startswith(arguments.get("path", ""))
        assert "line one\nline two".startswith(arguments.get("content", ""))
