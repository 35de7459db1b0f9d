"""What the jobs' routes tell of themselves in the OpenAPI document; see `mlxsite.openapi_hub`."""

from typing import Any

from inference.api.openapi.operation import answer, operation, query
from inference.api.openapi.refusals import REFUSED_READS, REFUSED_WRITES
from inference.api.openapi.schema import (
    Component,
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
from jobs.api.routes import DEFAULT_LIMIT, MAX_LIMIT
from jobs.kinds import KINDS
from jobs.models import Status
from mlxsite.openapi_hub import FAILURE

TIME = text("ISO 8601 in UTC")
JOB = Component(
    "Job",
    record(
        members={
            "id": text("`job_` and 16 hexadecimal digits"),
            "kind": text("What the job does"),
            "status": word(*Status.values),
            "config_json": text("What was submitted, as JSON"),
            "progress": number("From 0 to 1", minimum=0, maximum=1),
            "message": or_null(text("Of the latest stage")),
            "log_path": text("The file of its events"),
            "output_path": or_null(text("Where the result lies, or will lie")),
            "error": or_null(text("Why it failed; `cancelled`, if someone cancelled it")),
            "created_at": TIME,
            "started_at": or_null(TIME),
            "ended_at": or_null(TIME),
        }
    ),
)
_TS = or_null(integer("Unix time in milliseconds"))


def _event(type: str, description: str, /, **members: Schema) -> Schema:
    return record(description, members={"type": text(const=type), **members})


EVENT = Component(
    "JobEvent",
    either(
        _event("started", "The job runs", ts=_TS),
        _event("log", "A line for people", line=text()),
        _event(
            "stage",
            "How far the job is",
            stage=text("What goes on now"),
            progress=or_null(number("From 0 to 1")),
            message=text(),
        ),
        _event(
            "metric",
            "A measurement, with more figures as the kind of job has them",
            kind=word("train", "val"),
            step=integer(),
            loss=or_null(number()),
        ),
        _event(
            "done",
            "The job is done",
            ts=_TS,
            output_dir=or_null(text()),
            summary=anything("Figures of the result, by kind", type="object"),
        ),
        _event("failed", "The job has failed", ts=_TS, error=text("Why")),
        record("The data of `event: end`, behind which nothing comes", members={}),
    ),
)
_OK = boolean(const=True)
_NO_SUCH_JOB = {404: answer("There is no such job", FAILURE)}

LIST = operation(
    "listJobs",
    "List the latest jobs",
    "Newest first.",
    parameters=[
        query(
            "limit",
            integer(minimum=1, maximum=MAX_LIMIT, default=DEFAULT_LIMIT),
            "How many at most",
        ),
        query("kind", word(*KINDS), "Only jobs of this kind"),
    ],
    answers={
        200: answer("The jobs", record(members={"ok": _OK, "jobs": array(JOB)})),
        400: answer("The query cannot be understood", FAILURE),
        **REFUSED_READS,
    },
)
SHOW = operation(
    "getJob",
    "Tell how a job is going",
    answers={
        200: answer("The job", record(members={"ok": _OK, "job": JOB})),
        **_NO_SUCH_JOB,
        **REFUSED_READS,
    },
)
STREAM = operation(
    "followJob",
    "Follow a job's events",
    "All of them, from the first, then further ones as they come, and `event: end` when the job is "
    "over. Of an unknown job there is one event: it failed.",
    answers={200: answer("The events", events=EVENT), **REFUSED_READS},
)
CANCEL = operation(
    "cancelJob",
    "Cancel a job",
    "A queued one never starts, a running one ends in seconds, one that is over stays as it is.",
    answers={
        200: answer("The job as it is now", record(members={"ok": _OK, "job": JOB})),
        **_NO_SUCH_JOB,
        **REFUSED_WRITES,
    },
)

PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/jobs": {"get": LIST},
    "/api/jobs/{job_id}": {"get": SHOW},
    "/api/jobs/{job_id}/stream": {"get": STREAM},
    "/api/jobs/{job_id}/cancel": {"post": CANCEL},
}
