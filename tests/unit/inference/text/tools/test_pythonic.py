"""Calls in Python's syntax: literals only, never evaluated."""

import pytest

from inference.text.tools.pythonic import FORMAT


def calls(text):
    return f"<|tool_call_start|>{text}<|tool_call_end|>"


@pytest.fixture
def tools(schemas):
    return schemas(
        read={"path": {"type": "string"}, "lines": {"type": "array"}, "deep": {"type": "boolean"}},
        now={},
    )


def test_a_list_holds_several_calls(parse, tools):
    """Public case tp-23."""
    text = calls("[read(path='a b.log', lines=[1, 2], deep=True), now()]") + "Done."

    answer = parse(FORMAT, text, tools)

    assert answer.content == "Done."
    assert answer.calls == [
        ("read", {"path": "a b.log", "lines": [1, 2], "deep": True}),
        ("now", {}),
    ]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'it\\'s'", "it's"),
        ('"say \\"hi\\" it\'s"', 'say "hi" it\'s'),
        ("'a\\nb\\t\\\\d'", "a\nb\t\\d"),
        ("'\\d \\x41 \\u00e9 \\U0001f378'", "\\d A é \N{COCKTAIL GLASS}"),
        ("'raw\nline'", "raw\nline"),
        ("'[x)], <|tool_call_end|>'", "[x)], <|tool_call_end|>"),
        ("[None, True, false, null, -1.5e3]", [None, True, False, None, -1500.0]),
        ("{'a': {'b': (1, 2)}, \"c\": []}", {"a": {"b": [1, 2]}, "c": []}),
        ("''", ""),
    ],
)
def test_literals_are_read(parse, tools, literal, value):
    answer = parse(FORMAT, calls(f"[now(x={literal}, y=1)]"), tools)

    assert (answer.content, answer.calls) == (None, [("now", {"x": value, "y": 1})])


@pytest.mark.parametrize(
    "text",
    [
        "[unknown()]",
        "[now(), unknown()]",
        "[now(1)]",
        "[now(x=__import__('os'))]",
        "[now(x=1 + 1)]",
        "[now(x=open)]",
        "[now(x=)]",
        "[now]",
        "now()",
        "[now()] and more",
        "[now(x='a' 'b')]",
    ],
)
def test_what_is_no_list_of_calls_stays_in_the_text(parse, tools, text):
    answer = parse(FORMAT, calls(text), tools)

    assert (answer.content, answer.calls) == (calls(text), [])


@pytest.mark.parametrize(
    ("cut", "arguments"),
    [
        ("[read(path='a.lo", {"path": "a.lo"}),
        ("[read(path='a.log\\", {"path": "a.log"}),
        ("[read(path='a.log', li", {"path": "a.log"}),
        ("[read(path='a.log', lines=", {"path": "a.log"}),
        ("[read(path='a.log', lines=[1, 2", {"path": "a.log", "lines": [1, 2]}),
    ],
)
def test_a_call_that_the_limit_cut_off_is_completed(parse, tools, cut, arguments):
    answer = parse(FORMAT, "<|tool_call_start|>" + cut, tools)

    assert (answer.content, answer.calls) == (None, [("read", arguments)])
