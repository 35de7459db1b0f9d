"""MiniCPM5's XML: CDATA, entities and quotes around names."""

import pytest

from inference.text.tools.base import Text
from inference.text.tools.minicpm5 import FORMAT
from inference.text.tools.parser import ToolCallParser

TEXT = {"type": "string"}


def test_cdata_is_byte_for_byte(parse, schemas):
    """Public case tp-24."""
    tools = schemas(save={"body": TEXT, "n": {"type": "integer"}})
    body = '  if a < b && c:\n    x = "&amp;"'
    text = (
        f'<function name="save"><param name="body"><![CDATA[{body}]]></param>'
        '<param name="n">3</param></function>'
    )

    answer = parse(FORMAT, text, tools)

    assert (answer.content, answer.calls) == (None, [("save", {"body": body, "n": 3})])


@pytest.mark.parametrize(
    ("markup", "value"),
    [
        ("<![CDATA[a</param></function>b]]>", "a</param></function>b"),
        ("\n<![CDATA[a]]>\n", "a"),
        ("<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"),
        ("<![CDATA[a]]> &lt; <![CDATA[b]]>", "a < b"),
        ("<![CDATA[]]>", ""),
        ("R&amp;D &lt;b&gt; &quot;q&quot; &apos;", 'R&D <b> "q" \''),
        ("&amp;lt;", "&lt;"),
        ("  plain text\n", "  plain text\n"),
        ("a </param> b", "a </param> b"),
    ],
)
def test_values_are_read_as_xml(parse, schemas, markup, value):
    text = f'<function name="save"><param name="body">{markup}</param></function>'

    answer = parse(FORMAT, text, schemas(save={"body": TEXT}))

    assert (answer.content, answer.calls) == (None, [("save", {"body": value})])


@pytest.mark.parametrize(
    "text",
    [
        "<function name='w'>\n  <param name='city'>Oslo</param>\n</function>",
        "<function name=w><param name=city>Oslo</param></function>",
        '<function name="w"><param name="city">Oslo</function>',
        '<function name="w"><param name="city"><![CDATA[Oslo',
        '{"name": "w", "arguments": {"city": "Oslo"}}',
    ],
)
def test_other_spellings_are_read(parse, schemas, text):
    answer = parse(FORMAT, text, schemas(w={"city": TEXT}))

    assert (answer.content, answer.calls) == (None, [("w", {"city": "Oslo"})])


def test_calls_may_follow_one_another(parse, schemas):
    text = '<function name="a"></function>\n<function name="b"></function>'

    answer = parse(FORMAT, text, schemas(a={}, b={}))

    assert (answer.content, answer.calls) == (None, [("a", {}), ("b", {})])


def test_code_with_the_word_function_is_text_at_once(schemas):
    parser = ToolCallParser(FORMAT, schemas(w={}))
    text = "Write <function or <functional or function(){} and so on"

    assert parser.feed(text) == [Text(text)]


@pytest.mark.parametrize(
    "text",
    [
        '<function name="unknown"></function>',
        '<function name="w"><param>1</param></function>',
        '<function name="w">text</function>',
        '<function id="w"></function>',
    ],
)
def test_what_is_no_call_stays_in_the_text(parse, schemas, text):
    answer = parse(FORMAT, text, schemas(w={}))

    assert (answer.content, answer.calls) == (text, [])
