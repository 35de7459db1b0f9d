"""Events to Anthropic's stream, event by event."""

import json

import pytest

from inference.api.anthropic.message import SIGNATURE
from inference.api.anthropic.stream import MessageStream
from inference.errors import GenerationFailed
from inference.events import (
    Failed,
    Finished,
    FinishReason,
    Idle,
    Lane,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolCalled,
    Usage,
)

USAGE = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=3, lane=Lane.BATCHED)
STOP = Finished(FinishReason.STOP, USAGE)
CALLS = Finished(FinishReason.TOOL_CALLS, USAGE)
CALL = ToolCalled("1", "w", '{"city": "Oslo"}')
PING = {"type": "ping"}


def fold(*events, expects_thinking=False):
    """What is sent for some events; the name of each is that of its type."""
    stream = MessageStream("abc", "org/model", expects_thinking)
    sent = []
    for event in events:
        for text in stream.feed(event):
            name, data, *rest = text.split("\n")
            assert rest == ["", ""]
            sent.append(json.loads(data.removeprefix("data: ")))
            assert name == f"event: {sent[-1]['type']}"
    return sent


def start(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index, kind, **fields):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


def text(index, *pieces):
    deltas = [delta(index, "text_delta", text=piece) for piece in pieces]
    return [start(index, type="text", text=""), *deltas, stop(index)]


def thinking(index, *pieces):
    return [
        start(index, type="thinking", thinking="", signature=""),
        *(delta(index, "thinking_delta", thinking=piece) for piece in pieces),
        delta(index, "signature_delta", signature=SIGNATURE),
        stop(index),
    ]


def tool_use(index):
    return [
        start(index, type="tool_use", id="toolu_1", name="w", input={}),
        delta(index, "input_json_delta", partial_json='{"city": "Oslo"}'),
        stop(index),
    ]


def ending(reason, sequence=None):
    return [
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": sequence},
            "usage": {"input_tokens": 2, "cache_read_input_tokens": 3, "output_tokens": 2},
        },
        {"type": "message_stop"},
    ]


def test_a_message_begins_with_nothing_in_it():
    [begun] = fold(Started(5))

    assert begun == {
        "type": "message_start",
        "message": {
            "id": "msg_abc",
            "type": "message",
            "role": "assistant",
            "model": "org/model",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 5, "output_tokens": 0},
        },
    }


def test_text_is_one_block():
    sent = fold(TextDelta("é"), TextDelta("b"), STOP)

    assert sent == [*text(0, "é", "b"), *ending("end_turn")]


def test_blocks_follow_one_another_in_any_order():
    """Public case an-03, with given events."""
    sent = fold(TextDelta("---\n"), ReasoningDelta("hmm"), TextDelta("Answer.\n"), CALL, CALLS)

    assert sent == [
        *text(0, "---\n"),
        *thinking(1, "hmm"),
        *text(2, "Answer.\n"),
        *tool_use(3),
        *ending("tool_use"),
    ]


def test_calls_alone_have_no_text():
    assert fold(CALL, CALL, CALLS) == [*tool_use(0), *tool_use(1), *ending("tool_use")]


def test_thoughts_alone_have_no_text():
    limit = Finished(FinishReason.LENGTH, USAGE)

    assert fold(ReasoningDelta("a"), limit) == [*thinking(0, "a"), *ending("max_tokens")]


def test_an_answer_of_nothing_is_an_empty_block_of_text():
    assert fold(STOP) == [*text(0), *ending("end_turn")]


def test_a_stop_sequence_is_told():
    """Public case an-01, with given events."""
    finished = Finished(FinishReason.STOP, USAGE, stop_string="STOP")

    assert fold(TextDelta("A "), finished)[-2:] == ending("stop_sequence", "STOP")


def test_silence_before_any_block_is_a_ping():
    assert fold(Idle(), Idle(), TextDelta("a"), STOP)[:2] == [PING, PING]


def test_silence_in_a_block_is_a_delta_of_nothing():
    sent = fold(TextDelta("a"), Idle(), ReasoningDelta("b"), Idle(), STOP)

    assert sent == [*text(0, "a", ""), *thinking(1, "b", ""), *ending("end_turn")]


def test_silence_between_blocks_is_a_ping():
    assert fold(CALL, Idle(), CALL, CALLS) == [
        *tool_use(0),
        PING,
        *tool_use(1),
        *ending("tool_use"),
    ]


@pytest.mark.parametrize(
    ("then", "blocks"),
    [
        (ReasoningDelta("a"), thinking(0, "", "", "a")),
        (TextDelta("a"), thinking(0, "", "") + text(1, "a")),
        (CALL, thinking(0, "", "") + tool_use(1)),
    ],
)
def test_silence_is_taken_for_thinking_where_that_is_expected(then, blocks):
    sent = fold(Idle(), Idle(), then, STOP, expects_thinking=True)

    assert sent == [*blocks, *ending("end_turn")]


def test_a_failure_is_an_error_and_no_end():
    sent = fold(TextDelta("a"), Failed(GenerationFailed("generation failed: x")))

    assert sent[-1] == {
        "type": "error",
        "error": {"type": "api_error", "message": "server error: generation failed: x"},
    }
    assert sent[:-1] == text(0, "a")[:-1]
