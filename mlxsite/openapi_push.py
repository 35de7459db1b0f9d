"""What the routes that upload tell of themselves; see `mlxsite.openapi_hub`."""

from typing import Any

from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import REFUSED_WRITES
from inference.api.openapi.schema import boolean, fields, record, text
from mlxsite.openapi_hub import FAILURE


def _push(operation_id: str, what: str) -> dict[str, Any]:
    return operation(
        operation_id,
        f"Upload {what} to the Hugging Face Hub",
        "Answers when all of it is there. The upload goes on if the caller does not wait.",
        body=fields(
            required={"repo_id": text("owner/name; made if there is none", examples=["org/name"])},
            optional={
                "source_path": text("A folder of this machine"),
                "job_id": text("A job that is done, whose output is meant if there is no path"),
                "private": boolean("Whether a new repo is private", default=False),
            },
        ),
        answers={
            200: answer(
                "It is there", record(members={"ok": boolean(const=True), "url": text("Its page")})
            ),
            400: answer("There is no token, no such folder, or the Hub refused", FAILURE),
            **REFUSED_WRITES,
            413: answer("The body is larger than 64 MiB", FAILURE),
        },
    )


PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/quantize/push": {"post": _push("pushQuantized", "a quantized model")},
    "/api/finetune/push": {"post": _push("pushFinetuned", "an adapter")},
    "/api/dataset/push": {"post": _push("pushDataset", "a dataset")},
}
