"""The events of a streamed response; what writes them is `answer.py` and what it calls."""

from inference.api.openapi.schema import (
    NULL,
    Component,
    Schema,
    array,
    either,
    integer,
    record,
    text,
    word,
)
from inference.api.responses.openapi.response import ITEM, RESPONSE, SUMMARY_PART, TEXT_PART


def _event(*kinds: str, **members: Schema) -> Schema:
    return record(members={"type": word(*kinds), "sequence_number": integer(), **members})


def _item_event(kind: str, **members: Schema) -> Schema:
    return _event(f"response.{kind}", item_id=text(), output_index=integer(), **members)


_INDEX = integer("Which part of the item")
_LOGPROBS = array({})
EVENT = Component(
    "ResponseEvent",
    either(
        _event(
            "response.created",
            "response.in_progress",
            "response.completed",
            "response.incomplete",
            "response.failed",
            response=RESPONSE,
        ),
        _event(
            "response.output_item.added",
            "response.output_item.done",
            output_index=integer(),
            item=ITEM,
        ),
        _item_event("content_part.added", content_index=_INDEX, part=TEXT_PART),
        _item_event("output_text.delta", content_index=_INDEX, delta=text(), logprobs=_LOGPROBS),
        _item_event("output_text.done", content_index=_INDEX, text=text(), logprobs=_LOGPROBS),
        _item_event("content_part.done", content_index=_INDEX, part=TEXT_PART),
        _item_event("reasoning_summary_part.added", summary_index=_INDEX, part=SUMMARY_PART),
        _item_event("reasoning_summary_text.delta", summary_index=_INDEX, delta=text()),
        _item_event("reasoning_summary_text.done", summary_index=_INDEX, text=text()),
        _item_event("reasoning_summary_part.done", summary_index=_INDEX, part=SUMMARY_PART),
        _item_event("function_call_arguments.delta", delta=text()),
        _item_event("function_call_arguments.done", name=text(), arguments=text()),
        _item_event("custom_tool_call_input.delta", delta=text()),
        _item_event("custom_tool_call_input.done", name=text(), input=text()),
        _event("error", code=text(), message=text(), param=NULL),
    ),
)
