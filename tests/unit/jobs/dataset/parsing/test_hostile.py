"""Text that means harm, or nothing: every parser returns, or says in words what is wrong."""

import io
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.dataset.errors import DatasetError
from jobs.dataset.parsing import json_text, lists, qa_blocks, source_code, text, thoughts, tools
from jobs.dataset.parsing.json_stream import read_json_rows
from jobs.dataset.parsing.tables import read_table

COLUMNS = ("prompt", "chosen", "rejected")
PARSERS = {
    "blocks": qa_blocks.split_blocks,
    "list": lists.parse_list,
    "table": lambda given: list(read_table(io.StringIO(given, newline=""), COLUMNS)),
    "table below a header": lambda given: list(
        read_table(io.StringIO(f"prompt,chosen,rejected\n{given}", newline=""), COLUMNS)
    ),
    "thoughts": thoughts.with_thoughts,
    "code": lambda given: source_code.fenced_code(given, "python"),
    "definitions": lambda given: list(source_code.definitions(given)),
    "tools": tools.read_tools,
    "call": lambda given: tools.find_call(given, ["f"]),
    "values": lambda given: list(json_text.find_values(given, "{")),
    "passages": lambda given: text.passages(given, 10),
    "rows": lambda given: list(read_json_rows(io.StringIO(given))),
}
PIECES = [
    *("Q:", "A:", "q 1:", "**", "\n", "\n\n", "\r", "\0", "\ud800", "\u2028", "\ufeff", "🙂"),
    *("[", "]", "{", "}", '"', "\\", "'", ",", ";", "\t", "|", ":", "- ", "1. ", "(9) "),
    *('"name"', '"f"', '"arguments"', '{"name": "f", "arguments": ', "NaN", "1e999", "9" * 5000),
    *("<think>", "</think>", "Answer:", "```", "```python\n", "def f():\n", "@a\n", "class "),
    *("prompt,chosen,rejected\n", "x" * 200, " ", "null", "true"),
]
HOSTILE = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join)


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=HOSTILE)
def test_no_text_breaks_a_parser(parser, text):
    try:
        parser(text)
    except DatasetError as error:
        assert str(error)


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
def test_long_text_takes_no_long_time(parser):
    for unit in ("[", "{", '{"a":', '"', "\n", "Q: ", "- ", "```\n", "<think>", "a\n\n", "**", " "):
        began = time.process_time()
        try:
            parser(unit * (20_000 // len(unit)))
        except DatasetError as error:
            assert len(str(error)) < 1000
        assert time.process_time() - began < 2, unit
