"""Whatever a model does, OpenAI's client can build a response of what it is told."""

from hypothesis import given, settings
from hypothesis import strategies as st
from openai import omit
from openai._models import construct_type
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.responses import ResponseStreamEvent

from inference.api.responses.answer import ResponseAnswer
from inference.api.responses.response import response_head
from inference.api.responses.tools import ToolBox
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

TOOLS = ToolBox([{"type": "function", "name": "f"}, {"type": "custom", "name": "c"}])
TEXT = st.text(min_size=1, max_size=5) | st.sampled_from(["\n", " ", "\n\n"])
CALL = st.builds(
    ToolCalled,
    st.uuids().map(str),
    st.sampled_from(["f", "c", "made_up"]),
    st.sampled_from(['{"input": "x"}', "{}", '{"a": [1]}']),
)
EVENTS = st.lists(
    st.one_of(st.builds(TextDelta, TEXT), st.builds(ReasoningDelta, TEXT), CALL, st.just(Idle())),
    max_size=12,
)
ENDINGS = st.builds(
    Finished, st.sampled_from(list(FinishReason)), st.just(Usage(5, 2, 0, Lane.BATCHED))
)


def told(events):
    head = response_head(
        response_id="resp_1", created_at=7, model="m", fields={}, instructions=None
    )
    answer = ResponseAnswer(request_id="1", head=head, box=TOOLS)
    return [wire for event in events for wire in answer.feed(event)]


def items_of(events):
    return [event["item"] for event in events if event["type"] == "response.output_item.done"]


@settings(max_examples=200, deadline=None)
@given(events=EVENTS, ending=ENDINGS)
def test_the_streaming_helper_takes_every_chain(events, ending):
    state = ResponseStreamState(input_tools=omit, text_format=omit)

    for wire in told([Started(5), *events, ending]):
        state.handle_event(construct_type(type_=ResponseStreamEvent, value=wire))

    completed = ending.reason is not FinishReason.LENGTH
    assert (state._completed_response is not None) == completed


@settings(max_examples=200, deadline=None)
@given(events=EVENTS, ending=ENDINGS)
def test_a_chain_tells_the_whole_response_and_nothing_else(events, ending):
    wires = told([Started(5), *events, ending])

    output = wires[-1]["response"]["output"]
    assert items_of(wires) == output
    assert len(output) > 0
    assert [wire["sequence_number"] for wire in wires] == list(range(len(wires)))
    assert len({item["id"] for item in output}) == len(output)
    calls = [event for event in events if isinstance(event, ToolCalled)]
    assert [item["call_id"] for item in output if "call_id" in item] == [
        f"call_{call.id}" for call in calls
    ]


@settings(max_examples=200, deadline=None)
@given(events=EVENTS, ending=ENDINGS)
def test_no_word_is_lost(events, ending):
    output = told([Started(5), *events, ending])[-1]["response"]["output"]

    said = [item["content"][0]["text"] for item in output if item["type"] == "message"]
    thought = [item["summary"][0]["text"] for item in output if item["type"] == "reasoning"]
    assert words("".join(said)) == words(
        "".join(event.text for event in events if isinstance(event, TextDelta))
    )
    assert "".join(thought) == "".join(
        event.text for event in events if isinstance(event, ReasoningDelta)
    )


def words(text):
    return "".join(text.split())


@settings(max_examples=100, deadline=None)
@given(events=EVENTS, ending=ENDINGS)
def test_items_are_told_one_after_the_other(events, ending):
    open_index = None
    for wire in told([Started(5), *events, ending]):
        if wire["type"] == "response.output_item.added":
            assert open_index is None
            open_index = wire["output_index"]
        elif wire["type"] == "response.output_item.done":
            assert wire["output_index"] == open_index
            open_index = None
        elif "output_index" in wire:
            assert wire["output_index"] == open_index
    assert open_index is None
