"""A JSON Schema of calls: what an answer must be when tools have to be called.

Calls are then written as plain JSON, whatever format the model would choose by itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any


def call_schema(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the schema of one call of one of the tools, which are in OpenAI's shape.

    Each tool's own schema moves under `$defs`, with its references pointed there.
    """
    calls, definitions = [], {}
    for index, tool in enumerate(tools):
        function = tool["function"]
        place = f"tool{index}"
        parameters = function.get("parameters")
        if not isinstance(parameters, Mapping):
            parameters = {"type": "object", "properties": {}}
        definitions[place] = _pointed_at(parameters, f"#/$defs/{place}")
        calls.append(
            {
                "type": "object",
                "properties": {
                    "name": {"const": function["name"]},
                    "arguments": {"allOf": [{"$ref": f"#/$defs/{place}"}, {"type": "object"}]},
                },
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
        )
    return {"anyOf": calls, "$defs": definitions}


def schema_or_call(
    schema: Mapping[str, Any] | bool, tools: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the schema of an answer that fits `schema` or calls one of the tools."""
    union = call_schema(tools)
    union["$defs"]["answer"] = _pointed_at(schema, "#/$defs/answer")
    union["anyOf"].insert(0, {"$ref": "#/$defs/answer"})
    return union


def _pointed_at(schema: Any, root: str) -> Any:
    """Return a copy of a schema whose local references begin at `root`."""
    if isinstance(schema, Mapping):
        return {key: _member(key, value, root) for key, value in schema.items()}
    if isinstance(schema, list | tuple):
        return [_pointed_at(item, root) for item in schema]
    return schema


def _member(key: str, value: Any, root: str) -> Any:
    if key == "$ref" and _is_local(value):
        return root + value[1:]
    return _pointed_at(value, root)


def _is_local(reference: object) -> bool:
    return isinstance(reference, str) and (reference == "#" or reference.startswith("#/"))
