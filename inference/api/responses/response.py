"""The response object: what it repeats of its request, and what it says of its answer."""

from collections.abc import Mapping
from typing import Any

from inference.api.responses.output_items import Json
from inference.events import Usage

# By field: what stands there if the request does not say. Clients read all of these.
_REPEATED: Mapping[str, Any] = {
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "safety_identifier": None,
    "store": True,
    "temperature": None,
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "user": None,
}


def response_head(
    *,
    response_id: str,
    created_at: int,
    model: str,
    fields: Mapping[str, Any],
    instructions: str | None,
) -> Json:
    """Return what stays the same in a response from its first event to its last.

    created_at: unix seconds. fields: the request as sent.
    """
    return {
        "id": response_id,
        "object": "response",
        "created_at": created_at,
        "model": model,
        "background": False,
        "instructions": instructions,
        **{name: _given(fields, name, default) for name, default in _REPEATED.items()},
        "reasoning": {"effort": None, "summary": None, **_given(fields, "reasoning", {})},
        "text": {"format": {"type": "text"}, **_given(fields, "text", {})},
        "truncation": "disabled",
    }


def usage_block(usage: Usage) -> Json:
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens, "cache_write_tokens": 0},
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }


def _given(fields: Mapping[str, Any], name: str, default: Any) -> Any:
    value = fields.get(name)
    return default if value is None else value
