"""Whole answers as Anthropic's messages."""

import pytest

from inference.api.anthropic.message import SIGNATURE, whole_message
from inference.events import Completion, FinishReason, Lane, ToolCalled, Usage

USAGE = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=0, lane=Lane.BATCHED)
CALL = ToolCalled("1", "w", '{"city": "Oslo"}')
TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "w", "input": {"city": "Oslo"}}
THINKING = {"type": "thinking", "thinking": "hmm", "signature": SIGNATURE}


def whole(text="hi", reason=FinishReason.STOP, usage=USAGE, **more):
    return whole_message("abc", "org/model", Completion(text, reason, usage, **more))


def text(words):
    return {"type": "text", "text": words}


def test_a_message_is_complete():
    assert whole() == {
        "id": "msg_abc",
        "type": "message",
        "role": "assistant",
        "model": "org/model",
        "content": [text("hi")],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }


@pytest.mark.parametrize(
    ("words", "reasoning", "calls", "content"),
    [
        ("hi", "hmm", (CALL,), [THINKING, text("hi"), TOOL_USE]),
        ("", "", (CALL, CALL), [TOOL_USE, TOOL_USE]),
        ("", "hmm", (), [THINKING]),
        ("", "hmm", (CALL,), [THINKING, TOOL_USE]),
        ("", "", (), [text("")]),
    ],
)
def test_the_blocks_are_thoughts_text_and_calls_and_none_is_empty_for_nothing(
    words, reasoning, calls, content
):
    assert whole(words, reasoning=reasoning, tool_calls=calls)["content"] == content


@pytest.mark.parametrize(
    ("reason", "stop_string", "expected"),
    [
        (FinishReason.STOP, None, ("end_turn", None)),
        (FinishReason.STOP, "STOP", ("stop_sequence", "STOP")),
        (FinishReason.LENGTH, None, ("max_tokens", None)),
        (FinishReason.TOOL_CALLS, None, ("tool_use", None)),
    ],
)
def test_why_it_ended(reason, stop_string, expected):
    """Public case an-01, with given events."""
    message = whole(reason=reason, stop_string=stop_string)

    assert (message["stop_reason"], message["stop_sequence"]) == expected


def test_thoughts_have_a_signature_so_that_clients_send_them_back_as_thoughts():
    assert SIGNATURE.strip()


def test_cached_tokens_are_counted_apart():
    usage = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=3, lane=Lane.SERIAL)

    assert whole(usage=usage)["usage"] == {
        "input_tokens": 2,
        "cache_read_input_tokens": 3,
        "output_tokens": 2,
    }
