"""Errors in OpenAI's shape, and the refusals that any route's callers can get in it.

`mlxsite/guard.py` and `mlxsite/server/lifecycle.py` refuse before a route is called, and in this
shape whatever the route's protocol is.
"""

from inference.api.openapi.operation import RETRY_AFTER, Answers, answer
from inference.api.openapi.schema import Component, or_null, record, text

ERROR = Component(
    "Error",
    record(
        members={
            "error": record(
                members={
                    "message": text("What is wrong, with the limit, the value and what to do"),
                    "type": text("The kind of error"),
                    "param": or_null(text("The field at fault")),
                    "code": or_null(text("A narrower kind")),
                }
            )
        }
    ),
)
NOT_FOUND = Component(
    "NotFound",
    record(
        "What any path gives that nothing answers",
        members={"error": record(members={"message": text()})},
    ),
)

REFUSED_READS: Answers = {
    401: answer("API keys are set, and the request carries none of them", ERROR),
    403: answer("Host is no name of this server, or another site's page asks", ERROR),
    503: answer("No engine answers, or the server is shutting down", ERROR, headers=RETRY_AFTER),
}
REFUSED_WRITES: Answers = {
    **REFUSED_READS,
    413: answer("The body is larger than 64 MiB", ERROR),
    415: answer("The body is not declared as `application/json`", ERROR),
}
OPEN: tuple[dict[str, list[str]], ...] = ({},)
"""The `security` of what answers without a key, though keys be set."""
