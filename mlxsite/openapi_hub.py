"""What the hub's routes tell of themselves in the OpenAPI document.

Here and not beside the routes: the words of the document are `inference.api.openapi`'s, which
`hub` cannot import.
"""

from typing import Any

from inference.api.openapi.library import LIBRARY_ROW, SKIPPED
from inference.api.openapi.operation import Answers, answer, operation, query
from inference.api.openapi.refusals import REFUSED_READS, REFUSED_WRITES
from inference.api.openapi.schema import (
    Component,
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

FAILURE = Component(
    "Failure", record(members={"ok": boolean(const=False), "error": text("What to do about it")})
)
_DOWNLOAD = Component(
    "Download",
    record(
        members={
            "repo_id": text("owner/name"),
            "state": word("active", "done", "error"),
            "current_file": or_null(text("What is fetched now")),
            "received_bytes": integer("What is here; it never falls"),
            "total_bytes": integer("What there is to have"),
            "files_done": integer(),
            "files_total": integer(),
            "bytes_per_sec": integer("Over the last five seconds"),
            "started_at": integer("Unix time in seconds"),
            "finished_at": or_null(integer("Unix time in seconds")),
        },
        optional={"error": text("Why it failed, in state `error`")},
    ),
)
_HIT = Component(
    "Hit",
    record(
        members={
            "id": text("owner/name"),
            "downloads": integer(),
            "likes": integer(),
            "size_estimate": {"type": "null", "description": "The Hub does not say"},
        }
    ),
)
_REPO_PLAN = Component(
    "RepoPlan",
    record(
        members={
            "repo_id": text("owner/name"),
            "prune_snapshots": integer("Superseded snapshots to delete"),
            "skipped_snapshots": integer("Superseded ones that alone have some file, and stay"),
            "dead_blobs": integer("Contents that no snapshot would link to"),
            "reclaim_bytes": integer("What deleting them frees"),
        }
    ),
)
_APPROVALS = Component(
    "Approvals",
    record(
        members={"ok": boolean(const=True), "alwaysAllow": array(text(), "Tools allowed for good")}
    ),
)
_BAD = {400: answer("The request cannot be understood", FAILURE)}
_FAILED = {500: answer("The disk refused", FAILURE)}
_WRITES: Answers = {**REFUSED_WRITES, 413: answer("The body is larger than 64 MiB", FAILURE)}
_REPO: Schema = fields(
    required={"repo": text("owner/name", examples=["mlx-community/Qwen3-4B-4bit"])}
)


def _success(description: str, **members: Schema) -> dict[int, dict[str, Any]]:
    return {200: answer(description, record(members={"ok": boolean(const=True), **members}))}


_LOCAL_MODEL = Component(
    "LocalModel",
    record(
        members={
            **{
                name: LIBRARY_ROW[name]
                for name in ("repo_id", "model_type", "size_bytes", "quant_bits")
            },
            "quant_group_size": or_null(integer("Weights that share a scale")),
            **{
                name: LIBRARY_ROW[name]
                for name in ("vision", "supported", "support_tier", "assessment")
            },
        }
    ),
)

LOCAL = operation(
    "listLocalModels",
    "List the models of this machine for the page that downloads more",
    "Up to 30 seconds old.",
    answers={
        **_success("The models", models=array(_LOCAL_MODEL), skipped=SKIPPED),
        **REFUSED_READS,
    },
)
DOWNLOADS = operation(
    "listDownloads",
    "Watch the downloads",
    "All that run, and the last few that ended; newest first.",
    answers={
        200: answer("The downloads", record(members={"downloads": array(_DOWNLOAD)})),
        **REFUSED_READS,
    },
)
START_DOWNLOAD = operation(
    "startDownload",
    "Download a model from the Hugging Face Hub",
    "Returns at once; a download that was interrupted goes on where it stopped.",
    body=_REPO,
    answers={
        **_success("It has begun", repo=text(), started=boolean(const=True)),
        **_BAD,
        409: answer("This repo is being downloaded already", FAILURE),
        **_WRITES,
        **_FAILED,
    },
)
CANCEL_DOWNLOAD = operation(
    "cancelDownload",
    "Cancel a download",
    "What came stays, for the next download to go on from.",
    body=_REPO,
    answers={
        **_success("It ends soon", repo=text(), cancelled=boolean(const=True)),
        **_BAD,
        404: answer("No such download is under way", FAILURE),
        **_WRITES,
    },
)
SEARCH = operation(
    "searchHub",
    "Search the Hugging Face Hub for models in MLX's format",
    parameters=[
        {**query("q", text(minLength=1, maxLength=200), "What to look for"), "required": True}
    ],
    answers={
        200: answer(
            "What was found; or, with `offline`, why the Hub could not be asked",
            record(
                members={
                    "ok": boolean(const=True),
                    "offline": boolean(),
                    "results": array(_HIT),
                },
                optional={"error": text("Why the Hub could not be asked")},
            ),
        ),
        **_BAD,
        **REFUSED_READS,
    },
)
_RESTART = record(
    "Without `live`: the command to restart with",
    members={
        "ok": boolean(const=False),
        "restart_required": boolean(const=True),
        "command": text(),
    },
)
_SWITCHING: dict[str, Schema] = {"model": text("The repo id that the name means")}
SERVE = operation(
    "serveModel",
    "Serve another model",
    "With `live` it is loaded in this process, without breaking off an answer: `GET` tells how "
    "far that is. Requests that arrive meanwhile are answered, by the old model or by the new.",
    body=fields(
        required={"model": text("A repo id, or a part of one", examples=["org/name"])},
        optional={"live": boolean("Without a restart; false by default")},
    ),
    answers={
        200: answer(
            "Nothing was changed: how to restart, or, with `live`, that it is served already",
            either(
                _RESTART,
                record(
                    members={
                        "ok": boolean(const=True),
                        "switching": boolean(const=False),
                        **_SWITCHING,
                    }
                ),
            ),
        ),
        202: answer(
            "The switch has begun",
            record(
                members={
                    "ok": boolean(const=True),
                    "switching": boolean(const=True),
                    **_SWITCHING,
                }
            ),
        ),
        **_BAD,
        404: answer("No model here answers to the name", FAILURE),
        409: answer("Another switch is under way, or a job has the machine", FAILURE),
        **_WRITES,
        **_FAILED,
    },
)
SHOW_SWITCH = operation(
    "getSwitch",
    "Watch the served model being switched",
    "The switch under way, or how the last one ended.",
    answers={
        **_success(
            "Where it stands",
            state=word("idle", "draining", "loading", "ready", "failed"),
            model=or_null(text("The served model, as long as there is one")),
            target=or_null(text("The model asked for")),
            progress=or_null(
                number("The part of its weights that is in memory", minimum=0, maximum=1)
            ),
            message=text("For people"),
            error=or_null(text("Why it failed, and which model is served now")),
        ),
        **REFUSED_READS,
    },
)
PLAN = operation(
    "planReclaim",
    "Tell what of the Hugging Face cache could be deleted",
    answers={
        **_success("The plan", superseded=array(_REPO_PLAN), reclaim_bytes=integer("The sum")),
        **REFUSED_READS,
        **_FAILED,
    },
)
EXECUTE = operation(
    "executeReclaim",
    "Delete what a plan made now says",
    body=fields(required={"yes": boolean(const=True)}),
    answers={
        **_success(
            "What was deleted", snapshots=integer(), blobs=integer(), reclaimed_bytes=integer()
        ),
        **_BAD,
        **_WRITES,
        **_FAILED,
    },
)
SHOW_TOKEN = operation(
    "getToken",
    "Tell whether there is a Hugging Face token",
    "The token itself is never shown.",
    answers={
        200: answer(
            "Whether there is one",
            record(
                members={"ok": boolean(const=True), "hasToken": boolean()},
                optional={
                    "source": word(
                        "environment", "hf auth login", description="If it is not the saved one"
                    )
                },
            ),
        ),
        **REFUSED_READS,
    },
)
SAVE_TOKEN = operation(
    "saveToken",
    "Save a Hugging Face token",
    body=fields(required={"token": text(examples=["hf_…"])}),
    answers={**_success("It is saved"), **_BAD, **_WRITES, **_FAILED},
)
SHOW_APPROVALS = operation(
    "listApprovals",
    "List the tools that are allowed for good",
    answers={200: answer("By name", _APPROVALS), **REFUSED_READS},
)
FORGET_APPROVAL = operation(
    "forgetApproval",
    "Ask about a tool again",
    body=fields(required={"tool": text()}),
    answers={200: answer("Those that are left", _APPROVALS), **_BAD, **_WRITES, **_FAILED},
)

PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/hub/local": {"get": LOCAL},
    "/downloads": {"get": DOWNLOADS},
    "/api/hub/download": {"post": START_DOWNLOAD, "delete": CANCEL_DOWNLOAD},
    "/api/hub/search": {"get": SEARCH},
    "/api/hub/serve": {"get": SHOW_SWITCH, "post": SERVE},
    "/api/gc/plan": {"get": PLAN},
    "/api/gc/execute": {"post": EXECUTE},
    "/api/settings/hf-token": {"get": SHOW_TOKEN, "post": SAVE_TOKEN},
    "/api/settings/tool-approvals": {"get": SHOW_APPROVALS, "delete": FORGET_APPROVAL},
}
