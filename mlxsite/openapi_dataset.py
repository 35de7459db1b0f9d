"""What the routes of dataset building tell of themselves; see `mlxsite.openapi_hub`."""

from typing import Any

from inference.api.openapi.operation import Answers, answer, operation
from inference.api.openapi.refusals import REFUSED_READS, REFUSED_WRITES
from inference.api.openapi.schema import (
    Component,
    anything,
    array,
    boolean,
    either,
    fields,
    integer,
    record,
    text,
    word,
)
from jobs.dataset.fields import LONGEST_LINE, FieldType
from jobs.dataset.registry import TEMPLATES
from jobs.dataset.rows import OutputFormat
from mlxsite.openapi_hub import FAILURE

_OK = boolean(const=True)
_WRITES: Answers = {**REFUSED_WRITES, 413: answer("The body is larger than 64 MiB", FAILURE)}
FIELD = Component(
    "DatasetField",
    record(
        members={
            "name": text("Its name among the inputs"),
            "type": word(*FieldType, description="How to ask for it"),
            "label": text(),
        },
        optional={
            "hint": text("More for the person who fills it in"),
            "required": boolean(const=True),
            "default": either(text(), integer()),
        },
    ),
)
TEMPLATE = Component(
    "DatasetTemplate",
    record(
        members={
            "id": word(*TEMPLATES),
            "label": text(),
            "description": text(),
            "output_format": word(*OutputFormat, description="Of the rows"),
            "needs_llm": boolean("Whether it asks the served model"),
            "fields": array(FIELD),
        }
    ),
)

LIST = operation(
    "listDatasetTemplates",
    "List the ways to build a dataset",
    answers={
        200: answer("The templates", record(members={"templates": array(TEMPLATE)})),
        **REFUSED_READS,
    },
)
SUBMIT = operation(
    "submitDataset",
    "Build a dataset",
    "As a job, which writes `train.jsonl` and `valid.jsonl`.",
    body=fields(
        required={"template_id": word(*TEMPLATES)},
        optional={
            "inputs": anything(
                "The template's fields by name, each a text, or a whole number; null and blank "
                "count as left out, names of no field are passed over",
                type="object",
            ),
            "model_name": text(
                "What the served model is asked by; left out, it is asked by no name",
                maxLength=LONGEST_LINE,
            ),
        },
    ),
    answers={
        200: answer(
            "The job has its place in the queue",
            record(
                members={
                    "ok": _OK,
                    "job_id": text("For `/api/jobs/{job_id}`"),
                    "output_dir": text("Where the dataset will lie"),
                }
            ),
        ),
        400: answer(
            "There is no such template, or an input is missing or not what it can be", FAILURE
        ),
        **_WRITES,
        503: answer("The queue takes no job", FAILURE),
    },
)

PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/dataset/templates": {"get": LIST},
    "/api/dataset/submit": {"post": SUBMIT},
}
