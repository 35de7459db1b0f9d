"""A response and its items; what writes them is `response.py` and `output_items.py`."""

from inference.api.openapi.schema import (
    Component,
    Schema,
    anything,
    array,
    boolean,
    either,
    integer,
    or_null,
    record,
    text,
    word,
)
from inference.api.responses.output_items import ItemStatus

_STATUS = word(*ItemStatus)
TEXT_PART = record(
    members={
        "type": word("output_text"),
        "text": text(),
        "annotations": array({}),
        "logprobs": array({}),
    }
)
SUMMARY_PART = record(members={"type": word("summary_text"), "text": text()})


def _item(kind: str, prefix: str, members: dict[str, Schema], **optional: Schema) -> Schema:
    head = {"id": text(f"`{prefix}_` and digits"), "type": word(kind), "status": _STATUS}
    return record(members={**head, **members}, optional=optional)


_CALL: dict[str, Schema] = {"call_id": text("`call_` and an id"), "name": text()}
_NAMESPACE = text("Of the tool, if it is in one")
ITEM = Component(
    "ResponseOutputItem",
    either(
        _item("message", "msg", {"role": word("assistant"), "content": array(TEXT_PART)}),
        _item(
            "reasoning",
            "rs",
            {
                "summary": array(SUMMARY_PART, "The thoughts in full"),
                "encrypted_content": {"type": "null"},
            },
        ),
        _item(
            "function_call",
            "fc",
            {**_CALL, "arguments": text("A JSON object as text")},
            namespace=_NAMESPACE,
        ),
        _item("custom_tool_call", "ctc", {**_CALL, "input": text()}, namespace=_NAMESPACE),
    ),
)

_USAGE = Component(
    "ResponseUsage",
    record(
        members={
            "input_tokens": integer(),
            "input_tokens_details": record(
                members={
                    "cached_tokens": integer("Taken from the prefix cache"),
                    "cache_write_tokens": integer("Always 0"),
                }
            ),
            "output_tokens": integer(),
            "output_tokens_details": record(members={"reasoning_tokens": integer()}),
            "total_tokens": integer(),
        }
    ),
)
_REPEATED = (
    "max_output_tokens",
    "max_tool_calls",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt_cache_key",
    "safety_identifier",
    "store",
    "temperature",
    "tool_choice",
    "tools",
    "top_p",
    "user",
)
RESPONSE = Component(
    "Response",
    record(
        members={
            "id": text("`resp_` and 24 digits"),
            "object": word("response"),
            "created_at": integer("Unix time in seconds"),
            "completed_at": or_null(integer("Unix time in seconds")),
            "status": word("in_progress", "completed", "incomplete", "failed"),
            "model": text("The served model"),
            "output": array(ITEM, "In the order in which the model wrote them"),
            "usage": or_null(_USAGE),
            "error": or_null(record(members={"code": text(), "message": text()})),
            "incomplete_details": or_null(record(members={"reason": word("max_output_tokens")})),
            "instructions": or_null(text("Those in force")),
            "reasoning": {"type": "object", "description": "As in the request"},
            "text": {"type": "object", "description": "As in the request"},
            "metadata": {"type": "object", "description": "As in the request"},
            "background": boolean(),
            "truncation": word("disabled"),
            **{name: anything("As in the request") for name in _REPEATED},
        }
    ),
)
