"""Tool calls among the items of an answer; they are told complete."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inference.api.responses.ids import item_id
from inference.api.responses.output_items import ItemStatus, Json, added, done
from inference.api.responses.tools import ToolKind, ToolName
from inference.events import ToolCalled


@dataclass(frozen=True, slots=True)
class _Form:
    """How calls of a kind are written. field: what holds that with which the tool is called."""

    id_kind: str
    item_type: str
    field: str

    @property
    def event(self) -> str:
        return f"response.{self.item_type}_{self.field}"


_FORMS = {
    ToolKind.FUNCTION: _Form("fc", "function_call", "arguments"),
    ToolKind.CUSTOM: _Form("ctc", "custom_tool_call", "input"),
}


def call_events(call: ToolCalled, name: ToolName, request_id: str, index: int) -> Iterator[Json]:
    """Tell of a call from its beginning to its end.

    name: what the caller calls the tool. index: the item's place in the output.
    """
    form = _FORMS[name.kind]
    text = _custom_input(call.arguments) if name.kind is ToolKind.CUSTOM else call.arguments
    item = {
        "id": item_id(form.id_kind, request_id, index),
        "type": form.item_type,
        "status": ItemStatus.COMPLETED,
        "call_id": f"call_{call.id}",
        "name": name.name,
        **({} if name.namespace is None else {"namespace": name.namespace}),
        form.field: text,
    }
    place = {"item_id": item["id"], "output_index": index}
    yield added(index, {**item, "status": ItemStatus.IN_PROGRESS, form.field: ""})
    yield {"type": f"{form.event}.delta", **place, "delta": text}
    yield {"type": f"{form.event}.done", **place, "name": name.name, form.field: text}
    yield done(index, item)


def _custom_input(arguments: str) -> str:
    """Return the plain text that a custom tool is called with.

    Models do not always keep to the one argument that they were shown; what they wrote
    instead is passed on as it is.
    """
    try:
        decoded: Any = json.loads(arguments, strict=False)
    except (ValueError, RecursionError):
        return arguments
    match decoded:
        case {"input": str(text)}:
            return text
    return arguments
