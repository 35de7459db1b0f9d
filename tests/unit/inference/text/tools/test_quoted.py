"""Where markup ends that has quoted text in it."""

import pytest

from inference.text.tools.quoted import JSON_QUOTES, Quote, QuotedText, read_json
from inference.text.tools.source import Source


def read(reader, text, *, whole):
    """Run a reader; return what it took and what it left."""
    source = Source()
    reading = reader(source)
    pieces = [text] if whole else list(text)
    for piece in pieces:
        source.add(piece)
        try:
            next(reading)
        except StopIteration as stop:
            return stop.value
    source.end()
    try:
        next(reading)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("a reader waits for text after the end")


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("text", "before"),
    [
        ('{"a": 1}</t>', '{"a": 1}'),
        ('{"a": "</t>"}</t>', '{"a": "</t>"}'),
        ("{'a': '</t>'}</t>", "{'a': '</t>'}"),
        ('{"a": "\\"</t>"}</t>', '{"a": "\\"</t>"}'),
        ('{"a": "b</t> c', '{"a": "b'),
        ('{"a": "b</t>\n<t>"}</t>', '{"a": "b'),
        ('{"a": "b</t>\n"}</t>', '{"a": "b</t>\n"}'),
        ('{"a": "b</t> <t>"}</t>', '{"a": "b</t> <t>"}'),
        ('{"a": "b', '{"a": "b'),
        ('{"a": "b"}</', '{"a": "b"}'),
    ],
)
def test_a_closer_counts_outside_of_quotes(text, before, whole):
    body = QuotedText(("</t>", "<t>"), JSON_QUOTES)

    assert read(body.read, text, whole=whole) == before


@pytest.mark.parametrize("whole", [True, False])
def test_quotes_without_escapes_may_hold_anything(whole):
    body = QuotedText(("}", "{"), [Quote("<q>", "</q>")])

    assert read(body.read, "a<q>}\n{\\</q>b}", whole=whole) == "a<q>}\n{\\</q>b"


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, {}]} rest', '{"a": [1, {}]}'),
        ('{"a": "}"}x', '{"a": "}"}'),
        ("[']']]", "[']']"),
        ("{}{}", "{}"),
        ('{"a": [', '{"a": ['),
        ('{"a": "', '{"a": "'),
    ],
)
def test_json_ends_with_its_last_bracket(text, value, whole):
    assert read(read_json, text, whole=whole) == value
