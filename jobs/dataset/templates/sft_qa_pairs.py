"""Questions and answers that somebody has written, as conversations."""

from collections.abc import Iterator

from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.qa_blocks import split_blocks
from jobs.dataset.rows import OutputFormat, Row, assistant, messages, user
from jobs.dataset.template import Template
from jobs.dataset.work import Work


def build(inputs: Inputs, work: Work) -> Iterator[Row]:
    pairs, num_bad = split_blocks(inputs.text("pairs_text"))
    work.skipped["blocks without both Q: and A:"] += num_bad
    for question, answer in pairs:
        yield messages(user(question), assistant(answer))


TEMPLATE = Template(
    id="sft_qa_pairs",
    label="SFT from QA pairs",
    description="Turns questions and answers that you have already into conversations.",
    output_format=OutputFormat.MESSAGES,
    fields=(
        Field(
            name="pairs_text",
            label="Questions and answers",
            type=FieldType.TEXTAREA,
            hint="Write Q: before each question and A: before its answer, both of any length, "
            "and leave a blank line between two pairs.",
            required=True,
        ),
    ),
    build=build,
)
