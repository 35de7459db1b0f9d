"""Harmony's calls, alone and in whole answers."""

import pytest

from inference.text.harmony import HarmonySplitter
from inference.text.tools.harmony import FORMAT
from inference.text.tools.schema import ToolSchemas

TURN = "<|start|>assistant"
THOUGHT = "<|channel|>analysis<|message|>Need the weather.<|end|>"
OSLO = '{"city": "Oslo"}'
CALL = f"<|channel|>commentary to=functions.w <|constrain|>json<|message|>{OSLO}<|call|>"
EARLY = f" to=functions.w<|channel|>commentary json<|message|>{OSLO}<|call|>"
CALLED = ("w", {"city": "Oslo"})


@pytest.fixture
def read(parse, schemas):
    """Read an answer behind `<|start|>assistant`; return reasoning, content and calls."""
    tools = schemas(w={"city": {"type": "string"}, "days": {"type": "integer"}})

    def read_text(text, *, tool_format=FORMAT):
        answer = parse(tool_format, text, tools, lambda: HarmonySplitter(is_open=False))
        return answer.reasoning, answer.content, answer.calls

    return read_text


@pytest.mark.parametrize("call", [CALL, EARLY])
def test_a_call_follows_thoughts(read, call):
    assert read(f"{THOUGHT}{TURN}{call}") == ("Need the weather.", None, [CALLED])


@pytest.mark.parametrize("call", [CALL, EARLY])
def test_a_call_may_come_first_and_without_its_end_token(read, call):
    assert read(call) == (None, None, [CALLED])
    assert read(call.removesuffix("<|call|>")) == (None, None, [CALLED])


def test_a_preamble_is_text_before_the_call(read):
    preamble = "<|channel|>commentary<|message|>Let me look.<|end|>"

    result = read(f"{THOUGHT}{TURN}{preamble}{TURN}{CALL}")

    assert result == ("Need the weather.", "Let me look.", [CALLED])


def test_several_calls_may_come_with_text_behind_them(read):
    text = f"{CALL}{TURN}{EARLY.replace('Oslo', 'Rome')}\n{TURN}<|channel|>final<|message|>Done."

    assert read(text) == (None, "Done.", [CALLED, ("w", {"city": "Rome"})])


@pytest.mark.parametrize(
    "header",
    [
        "<|channel|>commentary to=functions.w<|constrain|>json<|message|>",
        "<|channel|>commentary to=functions.w code<|message|>",
        "<|channel|>commentary to=functions.w<|message|>",
        "<|channel|>commentary to=w json<|message|>",
        "<|channel|>commentary <|constrain|>json to=functions.w<|message|>",
        "<|channel|>analysis to=functions.w code<|message|>",
        " to=functions.w<|channel|>commentary <|constrain|>json<|message|>",
        " to=functions.w<|message|>",
    ],
)
def test_headers_of_calls_vary(read, header):
    assert read(f"{header}{OSLO}<|call|>") == (None, None, [CALLED])


def test_markers_within_a_string_are_data(read):
    city = "<|end|><|start|>assistant<|channel|>final<|message|>x"

    assert read(CALL.replace("Oslo", city)) == (None, None, [("w", {"city": city})])


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("{'city': 'Oslo', }", {"city": "Oslo"}),
        ('{"days": "3"}', {"days": 3}),
        ('{"city": "Os', {"city": "Os"}),
        ("", {}),
    ],
)
def test_arguments_are_mended_and_fitted(read, body, arguments):
    cut = CALL.removesuffix("<|call|>")

    assert read(cut.replace(OSLO, body)) == (None, None, [("w", arguments)])


@pytest.mark.parametrize(
    "call",
    [
        CALL.replace("functions.w", "functions.unknown"),
        CALL.replace("functions.w", "python"),
        EARLY.replace("functions.w", "browser.search"),
        CALL.replace(OSLO, "print('hi')"),
        "<|channel|>commentary to=functions.w",
        " to=functions.w",
    ],
)
def test_what_is_no_call_of_a_known_tool_is_text(read, call):
    assert read(call) == (None, call, [])


def test_an_unknown_call_behind_thoughts_is_text_too(read):
    unknown = TURN + CALL.replace("functions.w", "functions.unknown")

    assert read(THOUGHT + unknown) == ("Need the weather.", unknown, [])


def test_without_tools_a_call_is_text(read):
    assert read(THOUGHT + TURN + CALL, tool_format=None) == (
        "Need the weather.",
        TURN + CALL,
        [],
    )


def test_an_answer_may_speak_of_recipients(read):
    text = "Write to=bob, or to=functions.w, in the header."

    assert read(f"<|channel|>final<|message|>{text}") == (None, text, [])


def test_a_call_of_an_unknown_function_keeps_its_name_where_any_is_read(parse):
    tools = ToolSchemas([], any_name=True)

    answer = parse(FORMAT, CALL, tools, lambda: HarmonySplitter(is_open=False))

    assert answer.calls == [CALLED]
