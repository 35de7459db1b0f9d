"""What the routes of quantization tell of themselves; see `mlxsite.openapi_hub`."""

from typing import Any

from inference.api.openapi.operation import Answers, answer, operation
from inference.api.openapi.refusals import REFUSED_WRITES
from inference.api.openapi.schema import (
    Schema,
    array,
    boolean,
    either,
    fields,
    integer,
    number,
    or_null,
    record,
    text,
    word,
)
from jobs.quantize.calibration_mix import DOMAINS, MIXED
from jobs.quantize.config import (
    CANDIDATES,
    GROUP_SIZES,
    LARGEST_SEED,
    MAX_SAMPLES,
    SAMPLES,
    SCALE_TYPES,
    WIDTHS,
)
from mlxsite.openapi_hub import FAILURE

_OK, _NOT_OK = boolean(const=True), boolean(const=False)
_BAD = {400: answer("A field is missing, or is not what it can be", FAILURE)}
_WRITES: Answers = {**REFUSED_WRITES, 413: answer("The body is larger than 64 MiB", FAILURE)}
_MODEL = text("Repo id, part of one, or a folder", examples=["org/name"])
_FACTS: dict[str, Schema] = {
    "model_id": text("As it was asked for"),
    "arch": or_null(text("The model type")),
    "support": boolean("Whether it can be quantized"),
    "size_gb": number("Weights as stored, 10^9 bytes; 0 where that is not known"),
}

INSPECT = operation(
    "inspectModel",
    "Tell whether a model can be quantized",
    body=fields(required={"model_id": _MODEL}),
    answers={
        200: answer(
            "What it is; or, without `ok`, why there is no such model",
            either(
                record(
                    members={"ok": _OK, **_FACTS},
                    optional={"reason": text("Why it cannot be quantized")},
                ),
                record(members={"ok": _NOT_OK, **_FACTS, "error": text("What is wrong")}),
            ),
        ),
        **_BAD,
        **_WRITES,
    },
)
SUBMIT = operation(
    "quantizeModel",
    "Quantize a model",
    "Starts a job. The result is a model of the Hugging Face cache, which shows when it is whole.",
    body=fields(
        required={"model_id": _MODEL},
        optional={
            "bits": integer("Of every layer", enum=list(WIDTHS), default=4),
            "group_size": integer("Weights that share a scale", enum=list(GROUP_SIZES), default=64),
            "target_bpw": number(
                "Bits per weight of the whole file, scales counted in; each layer then gets a "
                "width of its own. Wins over `bits`",
                minimum=2,
                maximum=16,
            ),
            "candidate_bits": array(
                integer(enum=list(WIDTHS)),
                "Widths to choose from",
                minItems=1,
                default=list(CANDIDATES),
            ),
            "reference": text("The model that divergence is measured against; the source"),
            "calibration_mix": text(
                f"`{MIXED}`, or some of {', '.join(DOMAINS)} joined by commas", default=MIXED
            ),
            "n_calibration": integer(
                f"Rows of calibration text; 0 means {SAMPLES}",
                minimum=0,
                maximum=MAX_SAMPLES,
                default=SAMPLES,
            ),
            "rotate_weights": boolean("Fold a Hadamard rotation in first", default=False),
            "rotation_seed": integer(minimum=0, maximum=LARGEST_SEED, default=42),
            "scales": word(
                *SCALE_TYPES,
                description="Type of scales and of unquantized arrays. `auto` keeps 16-bit types "
                "and makes bfloat16 of float32",
                default="auto",
            ),
        },
    ),
    answers={
        200: answer(
            "The job has its place in the queue",
            record(members={"ok": _OK, "job_id": text(), "output_dir": text("Of the result")}),
        ),
        **_BAD,
        **_WRITES,
        503: answer("The queue takes no job", FAILURE),
    },
)


def _resolve(operation_id: str) -> dict[str, Any]:
    return operation(
        operation_id,
        "Find a model folder by what a browser tells of it",
        "Looks in the Hugging Face cache and in this server's own folders, and nowhere else.",
        body=fields(
            optional={
                "folder_name": text("What the picker calls the folder"),
                "rel_path": text("Of a file in it, beginning with the folder's name"),
            }
        ),
        answers={
            200: answer(
                "Where it is, or that it is nowhere",
                either(
                    record(
                        members={"ok": _OK, "path": text()},
                        optional={"repo_id": text("owner/name"), "model_type": text()},
                    ),
                    record(members={"ok": _NOT_OK, "error": text()}),
                ),
            ),
            **_BAD,
            **_WRITES,
        },
    )


PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/quantize/inspect": {"post": INSPECT},
    "/api/quantize/submit": {"post": SUBMIT},
    "/api/quantize/resolve-folder": {"post": _resolve("resolveQuantizeFolder")},
    "/api/model/resolve-folder": {"post": _resolve("resolveModelFolder")},
}
