"""Llama 3's calls: JSON with `parameters`, perhaps behind a special token."""

import pytest

from inference.text.tools.llama import FORMAT

CALL = '{"name": "w", "parameters": {"city": "Oslo"}}'


@pytest.mark.parametrize(
    "text", [CALL, f"<|python_tag|>{CALL}", CALL.replace("parameters", "arguments")]
)
def test_a_call_is_read(parse, schemas, text):
    answer = parse(FORMAT, text, schemas(w={"city": {"type": "string"}}))

    assert (answer.content, answer.calls) == (None, [("w", {"city": "Oslo"})])


@pytest.mark.parametrize(
    "text",
    [
        "<|python_tag|>print(1)",
        '{"name": "w", "description": "Weather.", "parameters": {"type": "object"}}',
        '{"name": "w"}',
    ],
)
def test_code_and_other_json_are_text(parse, schemas, text):
    answer = parse(FORMAT, text, schemas(w={"city": {"type": "string"}}))

    assert (answer.content, answer.calls) == (text, [])
