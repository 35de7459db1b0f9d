"""What each protocol can write is in the OpenAPI document: every event, and whole answers."""

import pytest

from inference.api.anthropic.message import whole_message
from inference.api.anthropic.stream import MessageStream
from inference.api.openai.chat_answer import ChatAnswer
from inference.api.openai.text_answer import TextAnswer
from inference.api.responses.answer import ResponseAnswer
from inference.api.responses.response import response_head
from inference.api.responses.tools import ToolBox
from inference.errors import GenerationFailed
from inference.events import (
    Candidate,
    Completion,
    Failed,
    Finished,
    FinishReason,
    Idle,
    Lane,
    ReasoningDelta,
    Started,
    TextDelta,
    TokenLogprobs,
    ToolCalled,
    Usage,
)
from tests.plugins.openapi import EVENTS, answers, data_of

CALL = ToolCalled("1", "f", '{"a": 1}')
USAGE = Usage(5, 7, cached_tokens=3, lane=Lane.BATCHED, reasoning_tokens=2)
PROBED = (
    TokenLogprobs(Candidate(7, "a", -0.5)),
    TokenLogprobs(Candidate(7, "a", -0.5), (Candidate(8, "b", -0.1), Candidate(7, "a", -0.5))),
)
WHOLE = Completion("hi", FinishReason.TOOL_CALLS, USAGE, PROBED, "hm", (CALL,))
NOT_IN_TEXT = (ReasoningDelta, ToolCalled)
STREAMS = {
    "everything": [
        Started(5),
        Idle(),
        ReasoningDelta("hm"),
        Idle(),
        TextDelta("hi"),
        Idle(),
        CALL,
        Finished(FinishReason.TOOL_CALLS, USAGE),
    ],
    "nothing": [Started(5), Finished(FinishReason.STOP, USAGE)],
    "cut": [Started(5), TextDelta("hi"), Finished(FinishReason.LENGTH, USAGE)],
    "stopped": [Started(5), TextDelta("hi"), Finished(FinishReason.STOP, USAGE, stop_string="x")],
    "failed": [Started(5), TextDelta("hi"), Failed(GenerationFailed("it broke"))],
}


def response_answer(tool):
    head = response_head(
        response_id="resp_a", created_at=7, model="m", fields={}, instructions=None
    )
    return ResponseAnswer(request_id="a" * 24, head=head, box=ToolBox([{"name": "f", **tool}]))


WRITERS = {
    "chat": ("/v1/chat/completions", lambda: ChatAnswer("a", "m").feed),
    "text": ("/v1/completions", lambda: TextAnswer("a", "m").feed),
    "message": ("/v1/messages", lambda: MessageStream("a", "m").feed),
    "thinking message": (
        "/v1/messages",
        lambda: MessageStream("a", "m", expects_thinking=True).feed,
    ),
    "response": ("/v1/responses", lambda: response_answer({"type": "function"}).write),
    "response with a custom tool": (
        "/v1/responses",
        lambda: response_answer({"type": "custom"}).write,
    ),
    "response with a namespace": (
        "/v1/responses",
        lambda: (
            response_answer(
                {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]}
            ).write
        ),
    ),
}


@pytest.mark.parametrize("told", STREAMS)
@pytest.mark.parametrize("writer", WRITERS)
def test_every_event_of_a_stream_is_in_the_document(writer, told):
    path, begin = WRITERS[writer]
    write = begin()
    thoughtless = [event for event in STREAMS[told] if not isinstance(event, NOT_IN_TEXT)]

    events = thoughtless if writer == "text" else STREAMS[told]
    wire = data_of("".join(text for event in events for text in write(event)))

    assert wire
    for data in wire:
        answers(path, 200, EVENTS).validate(data)


def test_a_broken_response_ends_with_events_of_the_document():
    for data in data_of(response_answer({"type": "custom"}).broken()):
        answers("/v1/responses", 200, EVENTS).validate(data)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/v1/chat/completions", ChatAnswer("a", "m").whole(WHOLE)),
        ("/v1/completions", TextAnswer("a", "m").whole(WHOLE)),
        ("/v1/messages", whole_message("a", "m", WHOLE)),
    ],
)
def test_a_whole_answer_is_in_the_document(path, written):
    answers(path, 200).validate(written)
