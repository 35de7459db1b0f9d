"""What the routes of fine-tuning tell of themselves; see `mlxsite.openapi_hub`."""

from dataclasses import MISSING, Field, fields
from typing import Any

from inference.api.openapi import schema
from inference.api.openapi.operation import Answers, answer, operation
from inference.api.openapi.refusals import REFUSED_WRITES
from inference.api.openapi.schema import (
    Schema,
    anything,
    array,
    boolean,
    either,
    integer,
    number,
    or_null,
    record,
    text,
    word,
)
from jobs.api.finetune import SCALE
from jobs.finetune.config import FinetuneConfig
from jobs.finetune.data.formats import Format
from mlxsite.openapi_hub import FAILURE

_OK, _NOT_OK = boolean(const=True), boolean(const=False)
_BAD = {400: answer("A field is missing, or is not what it can be", FAILURE)}
_WRITES: Answers = {**REFUSED_WRITES, 413: answer("The body is larger than 64 MiB", FAILURE)}
_FOLDER = r"\S"  # not blank


def _option(each: "Field[Any]") -> Schema:
    """Words only: a value that is not allowed is accepted here, and the job tells of it."""
    default = each.default
    if isinstance(default, tuple):
        default = ", ".join(default)
    told = "" if default is None else f"; {str(default).lower()} if left out"
    return anything(f"{each.metadata['about']}{told}. Allowed: {each.metadata['kind'].allowed}")


def _needed(name: str) -> Schema:
    [each] = [each for each in fields(FinetuneConfig) if each.name == name]
    return text(each.metadata["about"], pattern=_FOLDER)


SUBMIT = operation(
    "submitFinetune",
    "Train an adapter",
    "As a job. Whatever else is wrong with a field is told by the job, which then fails.",
    body=schema.fields(
        required={name: _needed(name) for name in ("model_dir", "data_dir")},
        optional={
            "adapter_path": anything("Folder that the adapter is written to; a new one if left out")
        }
        | {
            each.name: _option(each)
            for each in fields(FinetuneConfig)
            if each.default is not MISSING
        },
    ),
    answers={
        200: answer(
            "The job is queued",
            record(
                members={
                    "ok": _OK,
                    "job_id": text("For `/api/jobs/{job_id}`"),
                    "adapter_path": text("Where the adapter will lie"),
                }
            ),
        ),
        **_BAD,
        **_WRITES,
        503: answer("The queue takes no job", FAILURE),
    },
)
_ROWS: dict[str, Schema] = {
    "n_train": integer("Rows to train on", minimum=0),
    "n_valid": integer("Rows to validate on", minimum=0),
    "format": word(*Format),
}
INSPECT = operation(
    "inspectDataset",
    "Tell what a folder of training data holds",
    body=schema.fields(
        required={"path": text("Folder of `train.jsonl` and maybe `valid.jsonl`", pattern=_FOLDER)}
    ),
    answers={
        200: answer(
            "What it holds; or, without `ok`, what has to be mended first",
            either(
                record(members={"ok": _OK, **_ROWS}),
                record(members={"ok": _NOT_OK, **_ROWS, "error": text("What is wrong")}),
            ),
        ),
        **_BAD,
        **_WRITES,
    },
)
_ADAPTER = text("Folder of an adapter", pattern=_FOLDER)
MERGE = operation(
    "mergeAdapters",
    "Fold two adapters into one",
    body=schema.fields(
        required={"adapter_a": _ADAPTER, "adapter_b": _ADAPTER},
        optional={
            "scales": array(
                number(minimum=SCALE.minimum, maximum=SCALE.maximum),
                "In place of those that the adapters were trained with",
                minItems=2,
                maxItems=2,
            )
        },
    ),
    answers={
        200: answer(
            "The sum of both",
            record(
                members={
                    "ok": _OK,
                    "merged_path": text("The new adapter's folder"),
                    "stats": record(
                        members={
                            "layersMerged": integer("Layers that both change", minimum=0),
                            "layersOnlyInOne": integer("Layers that one changes", minimum=0),
                            "totalKeysOut": integer("Tensors written", minimum=2),
                            "sources": array(text()),
                            "scales": array(number("By which each was multiplied")),
                        }
                    ),
                }
            ),
        ),
        400: answer("A field is missing, or these two cannot be merged", FAILURE),
        **_WRITES,
    },
)
EXPORT = operation(
    "exportAdapter",
    "Write a manifest that names an adapter and its model",
    body=schema.fields(
        required={"base_model": text("Repo id", pattern=_FOLDER), "adapter_path": _ADAPTER},
        optional={"method": anything("How it was trained, a text")},
    ),
    answers={
        200: answer(
            "The manifest, as it was written",
            record(
                members={
                    "ok": _OK,
                    "export_path": text("Folder of `manifest.json`"),
                    "manifest": record(
                        members={
                            "version": integer(const=1),
                            "base_model": text(),
                            "adapter_path": text(),
                            "created_at": text("ISO 8601 in UTC"),
                        },
                        optional={"method": or_null(text())},
                    ),
                }
            ),
        ),
        400: answer("A field is missing, or there is no adapter", FAILURE),
        **_WRITES,
    },
)

PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/finetune/submit": {"post": SUBMIT},
    "/api/finetune/inspect-dataset": {"post": INSPECT},
    "/api/finetune/merge": {"post": MERGE},
    "/api/finetune/export": {"post": EXPORT},
}
