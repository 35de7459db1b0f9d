"""Rows of another shape, as conversations: two of their keys are kept."""

from collections.abc import Iterator
from typing import Any

from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing import json_text
from jobs.dataset.parsing.text import lines
from jobs.dataset.rows import OutputFormat, Row, assistant, messages, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work


def build(inputs: Inputs, work: Work) -> Iterator[Row]:
    user_key, assistant_key = inputs.text("user_key"), inputs.text("assistant_key")
    for line in lines(inputs.text("input_jsonl")):
        row = _object(line)
        if row is None:
            work.skip("lines that are no JSON object")
            continue
        asked, answered = (
            json_text.dump(row.get(key)).strip() for key in (user_key, assistant_key)
        )
        if asked and answered:
            yield messages(user(asked), assistant(answered))
        else:
            work.skip(f"lines without {user_key} or {assistant_key}")


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json_text.parse(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


TEMPLATE = Template(
    id="format_conversion",
    label="Format conversion",
    description="Turns JSON lines of any shape into conversations, by the names of two keys.",
    output_format=OutputFormat.MESSAGES,
    fields=(
        Field(
            name="input_jsonl",
            label="JSON lines",
            type=FieldType.TEXTAREA,
            hint="One JSON object a line. Lines that are none are skipped and counted.",
            required=True,
        ),
        Field(
            name="user_key",
            label="Key of what the user says",
            hint="Its value becomes the user's message.",
            default="input",
        ),
        Field(
            name="assistant_key",
            label="Key of the answer",
            hint="Its value becomes the answer that is learned.",
            default="output",
        ),
    ),
    build=build,
)
