"""Any generation folds into a stream that Anthropic's own client reads to the same end."""

import json
from itertools import groupby

from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import RawMessageStreamEvent
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from inference.api.anthropic.stream import MessageStream
from inference.events import (
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
from tests.contract.anthropic.wire import read_events

USAGE = Usage(prompt_tokens=9, completion_tokens=7, cached_tokens=4, lane=Lane.SERIAL)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
ARGUMENTS = st.dictionaries(WORDS, st.integers(0, 9) | WORDS | st.lists(WORDS), max_size=2)
CALLS = st.builds(ToolCalled, WORDS, WORDS, ARGUMENTS.map(json.dumps))
DELTAS = st.builds(TextDelta, WORDS) | st.builds(ReasoningDelta, WORDS)
MIDDLES = st.lists(DELTAS | CALLS | st.just(Idle()), max_size=12)
ENDS = st.builds(
    Finished,
    st.sampled_from(FinishReason),
    st.just(USAGE),
    stop_string=st.none() | st.just("STOP"),
)
CHECK = TypeAdapter(RawMessageStreamEvent)
DELTA_OF = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking"}
DELTA_OF["input_json_delta"] = "tool_use"


def fold(events, expects_thinking):
    stream = MessageStream("abc", "org/model", expects_thinking)
    return read_events("".join(text for event in events for text in stream.feed(event)))


def accumulate(sent):
    """Read a stream as the SDK does, which raises for what is out of order or misshapen."""
    snapshot, buffers = None, {}
    for event in sent:
        if event["type"] != "ping":
            parsed = CHECK.validate_python(event)
            snapshot = accumulate_event(event=parsed, current_snapshot=snapshot, json_bufs=buffers)
    return snapshot


def expected_blocks(events):
    """Kinds and contents, neighbours of a kind together; silence is nothing."""
    blocks = []
    shown = [event for event in events if not isinstance(event, Idle)]
    for kind, group in groupby(shown, type):
        if kind is ToolCalled:
            blocks += [("tool_use", event.name, json.loads(event.arguments)) for event in group]
        else:
            name = "text" if kind is TextDelta else "thinking"
            blocks.append((name, "".join(event.text for event in group)))
    return blocks or [("text", "")]


def block_of(block):
    if block.type == "tool_use":
        return (block.type, block.name, block.input)
    return (block.type, block.text if block.type == "text" else block.thinking)


def check_grammar(sent):
    """message_start, blocks that never overlap with indices 0, 1, 2, …, message_delta and _stop."""
    assert sent[0]["type"] == "message_start"
    assert [event["type"] for event in sent[-2:]] == ["message_delta", "message_stop"]
    open_kind, index = None, -1
    for event in sent[1:-2]:
        match event["type"]:
            case "content_block_start":
                assert open_kind is None
                assert event["index"] == index + 1
                index, open_kind = event["index"], event["content_block"]["type"]
            case "content_block_delta":
                assert event["index"] == index
                assert DELTA_OF[event["delta"]["type"]] == open_kind
            case "content_block_stop":
                assert event["index"] == index and open_kind is not None
                open_kind = None
            case other:
                assert (other, open_kind) == ("ping", None)
    assert open_kind is None


@settings(max_examples=300, deadline=None)
@given(MIDDLES, ENDS, st.booleans())
def test_any_generation_is_a_stream_that_the_sdk_accepts(middle, end, expects_thinking):
    sent = fold([Started(9), *middle, end], expects_thinking)

    check_grammar(sent)
    message = accumulate(sent)
    blocks = [block_of(block) for block in message.content]
    if expects_thinking:  # silences may have opened blocks of no thoughts
        blocks = [block for block in blocks if block != ("thinking", "")] or [("text", "")]
    assert blocks == expected_blocks(middle)
    assert (message.usage.input_tokens, message.usage.cache_read_input_tokens) == (5, 4)
    assert message.usage.output_tokens == 7
