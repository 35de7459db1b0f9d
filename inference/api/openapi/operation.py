"""What a route tells of itself: the form of Ninja's `openapi_extra`.

Ninja knows the path, the method and the tags of a route. Bodies are read and written by hand, so
what they are made of is said here, in the words of OpenAPI 3.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.api.openapi.schema import Schema

Answers = Mapping[int, dict[str, Any]]
"""Answers by their status."""

JSON = "application/json"
EVENTS = "text/event-stream"
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}}}
WARNING = {
    "Warning": {
        "description": "What was asked for and is not, or not wholly, enforced",
        "schema": {"type": "string"},
    }
}


def operation(
    operation_id: str,
    summary: str,
    description: str = "",
    *,
    body: Schema | None = None,
    parameters: Sequence[dict[str, Any]] = (),
    answers: Answers,
    security: Sequence[dict[str, list[str]]] | None = None,
) -> dict[str, Any]:
    """Describe a route.

    body: the schema of its JSON body, which it requires if it has one.
    security: None takes the document's.
    """
    told: dict[str, Any] = {"operationId": operation_id, "summary": summary}
    if description:
        told["description"] = description
    if body is not None:
        told["requestBody"] = {"required": True, "content": {JSON: {"schema": body}}}
    if parameters:
        told["parameters"] = list(parameters)
    if security is not None:
        told["security"] = list(security)
    return {**told, "responses": dict(sorted(answers.items()))}


def answer(
    description: str,
    schema: Schema | None = None,
    *,
    media_type: str = JSON,
    events: Schema | None = None,
    headers: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Describe an answer. events: of the data of each event, if it can be a stream."""
    told: dict[str, Any] = {"description": description}
    content = {media_type: schema, EVENTS: events}
    if found := {kind: {"schema": value} for kind, value in content.items() if value is not None}:
        told["content"] = found
    return {**told, "headers": dict(headers)} if headers else told


def query(name: str, schema: Schema, description: str) -> dict[str, Any]:
    return {"in": "query", "name": name, "description": description, "schema": schema}
