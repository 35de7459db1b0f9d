"""A table of better and worse answers, as pairs to learn a preference from."""

import io
from collections.abc import Iterator

from jobs.dataset.fields import Field, FieldType, Inputs
from jobs.dataset.parsing.tables import read_table
from jobs.dataset.rows import OutputFormat, Row
from jobs.dataset.template import Template
from jobs.dataset.work import Work

COLUMNS = ("prompt", "chosen", "rejected")


def build(inputs: Inputs, work: Work) -> Iterator[Row]:
    for cells in read_table(io.StringIO(inputs.text("csv_text"), newline=""), COLUMNS):
        row = {name: cells.get(name, "").strip() for name in COLUMNS}
        if all(row.values()):
            yield row
        else:
            work.skip("lines with an empty cell")


TEMPLATE = Template(
    id="dpo_pref_pairs",
    label="DPO from preference pairs",
    description="Turns a table of prompts, each with a better and a worse answer, into pairs for "
    "DPO or ORPO.",
    output_format=OutputFormat.DPO,
    fields=(
        Field(
            name="csv_text",
            label="Table",
            type=FieldType.TEXTAREA,
            hint="CSV with the header prompt,chosen,rejected. Put cells with commas or line breaks "
            "in double quotes. Semicolons or tabs between cells are fine as well.",
            required=True,
        ),
    ),
    build=build,
)
