"""Our answers as Anthropic's messages: what whole ones and streams have in common."""

import json
from typing import Any

from inference.events import Completion, FinishReason, ToolCalled, Usage

SIGNATURE = "unsigned"
"""The signature of all thoughts. Nobody checks it here, but without one some clients (pi) send
thoughts back as text, which a model then takes for what it said."""

_STOP_REASONS = {
    FinishReason.STOP: "end_turn",
    FinishReason.LENGTH: "max_tokens",
    FinishReason.TOOL_CALLS: "tool_use",
}


def whole_message(request_id: str, model: str, completion: Completion) -> dict[str, Any]:
    """Return the body for a caller that does not stream."""
    return {
        **message(request_id, model),
        "content": _content(completion),
        **ending(completion.reason, completion.stop_string),
        "usage": usage_block(completion.usage),
    }


def message(request_id: str, model: str) -> dict[str, Any]:
    """Return a message as it begins: with nothing in it."""
    return {
        "id": f"msg_{request_id}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def thinking_block(text: str, signature: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": signature}


def tool_use_block(call: ToolCalled, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{call.id}", "name": call.name, "input": arguments}


def ending(reason: FinishReason, stop_string: str | None) -> dict[str, Any]:
    """Return why a message ended, and the stop sequence if it was one."""
    if reason is FinishReason.STOP and stop_string is not None:
        return {"stop_reason": "stop_sequence", "stop_sequence": stop_string}
    return {"stop_reason": _STOP_REASONS[reason], "stop_sequence": None}


def usage_block(usage: Usage) -> dict[str, Any]:
    """Return token counts; as everywhere in this protocol, cached tokens are counted apart."""
    cached = {"cache_read_input_tokens": usage.cached_tokens} if usage.cached_tokens else {}
    return {
        "input_tokens": usage.prompt_tokens - usage.cached_tokens,
        **cached,
        "output_tokens": usage.completion_tokens,
    }


def _content(completion: Completion) -> list[dict[str, Any]]:
    """Return the blocks of an answer. Text that is empty is one only where nothing else is."""
    thoughts = [thinking_block(completion.reasoning, SIGNATURE)] if completion.reasoning else []
    text = [text_block(completion.text)] if completion.text else []
    calls = [tool_use_block(call, json.loads(call.arguments)) for call in completion.tool_calls]
    return [*thoughts, *text, *calls] or [text_block("")]
