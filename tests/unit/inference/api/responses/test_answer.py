"""Events to a response."""

import json

import pytest

from inference.api.responses.answer import ResponseAnswer
from inference.api.responses.tools import ToolBox
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

REQUEST = "0123456789abcdef01234567"
HEAD = {"id": f"resp_{REQUEST}", "object": "response", "created_at": 7, "model": "m"}
USAGE = Usage(5, 2, 3, Lane.BATCHED)
STOP = Finished(FinishReason.STOP, USAGE)
LENGTH = Finished(FinishReason.LENGTH, USAGE)
CALLS = Finished(FinishReason.TOOL_CALLS, USAGE)
TOOLS = ToolBox(
    [
        {"type": "custom", "name": "patch"},
        {
            "type": "namespace",
            "name": "agents",
            "tools": [{"type": "function", "name": "spawn"}, {"type": "custom", "name": "say"}],
        },
    ]
)


def answer(**fields):
    return ResponseAnswer(request_id=REQUEST, head=HEAD, box=TOOLS, **fields)


def told(*events):
    folded = answer()
    return [event for ours in (Started(5), *events) for event in folded.feed(ours)]


def kinds(events):
    return [event["type"].removeprefix("response.") for event in events]


def output(*events):
    return told(*events)[-1]["response"]["output"]


TEXT_CHAIN = [
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
]
REASONING_CHAIN = [
    "output_item.added",
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
    "output_item.done",
]
CALL_CHAIN = [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
]


def test_text_is_told_from_its_beginning_to_its_end():
    events = told(TextDelta("é"), TextDelta("b"), STOP)

    assert kinds(events) == [
        "created",
        "in_progress",
        *TEXT_CHAIN[:2],
        "output_text.delta",
        *TEXT_CHAIN[2:],
        "completed",
    ]
    assert [event["delta"] for event in events if "delta" in event] == ["é", "b"]
    assert events[6] == {
        "type": "response.output_text.done",
        "item_id": f"msg_{REQUEST}00",
        "output_index": 0,
        "content_index": 0,
        "text": "éb",
        "logprobs": [],
        "sequence_number": 6,
    }
    assert output(TextDelta("é"), TextDelta("b"), STOP) == [
        {
            "id": f"msg_{REQUEST}00",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "éb", "annotations": [], "logprobs": []},
            ],
        }
    ]


def test_events_are_numbered_without_gaps():
    events = told(ReasoningDelta("hm"), TextDelta("a"), Idle(), TextDelta("b"), STOP)

    assert [event["sequence_number"] for event in events] == list(range(len(events)))


def test_thoughts_come_before_the_message():
    events = told(ReasoningDelta("h"), ReasoningDelta("m"), TextDelta("Hi."), STOP)

    assert kinds(events) == [
        "created",
        "in_progress",
        *REASONING_CHAIN[:3],
        *REASONING_CHAIN[2:],
        *TEXT_CHAIN,
        "completed",
    ]
    thoughts, message = events[-1]["response"]["output"]
    assert thoughts == {
        "id": f"rs_{REQUEST}00",
        "type": "reasoning",
        "status": "completed",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": None,
    }
    assert message["id"] == f"msg_{REQUEST}01"


def test_calls_follow_the_message_each_an_item_of_its_own():
    """Public case re-06."""
    events = told(
        ReasoningDelta("hm"),
        TextDelta("Hi."),
        ToolCalled("c1", "w", '{"city": "Oslo"}'),
        ToolCalled("c2", "w", '{"city": "Lima"}'),
        CALLS,
    )

    assert kinds(events) == [
        "created",
        "in_progress",
        *REASONING_CHAIN,
        *TEXT_CHAIN,
        *CALL_CHAIN,
        *CALL_CHAIN,
        "completed",
    ]
    assert events[-1]["response"]["output"][2] == {
        "id": f"fc_{REQUEST}02",
        "type": "function_call",
        "status": "completed",
        "call_id": "call_c1",
        "name": "w",
        "arguments": '{"city": "Oslo"}',
    }


def test_an_item_has_one_id_and_one_place_in_all_that_is_told_of_it():
    """Public case re-06."""
    events = told(
        ReasoningDelta("hm"), TextDelta("Hi."), ToolCalled("c1", "w", "{}"), TextDelta("x"), STOP
    )

    whole = events[-1]["response"]["output"]
    assert [item["type"] for item in whole] == ["reasoning", "message", "function_call", "message"]
    for event in events:
        if "output_index" in event:
            item = event.get("item", {"id": event.get("item_id")})
            assert item["id"] == whole[event["output_index"]]["id"]
    added = [event["output_index"] for event in events if event["type"].endswith("item.added")]
    assert added == [0, 1, 2, 3]
    assert [event["item"] for event in events if event["type"].endswith("item.done")] == whole


def test_a_call_begins_empty_and_its_pieces_are_the_whole():
    added, delta, done, item_done = told(ToolCalled("c", "w", '{"a": 1}'), CALLS)[2:6]

    assert (added["item"]["arguments"], added["item"]["status"]) == ("", "in_progress")
    assert delta["delta"] == done["arguments"] == item_done["item"]["arguments"] == '{"a": 1}'
    assert added["item"]["call_id"] == item_done["item"]["call_id"] == "call_c"


def test_a_call_of_a_custom_tool_has_its_input_as_plain_text():
    events = told(ToolCalled("c", "patch", '{"input": "*** Begin"}'), CALLS)

    assert kinds(events)[2:6] == [
        "output_item.added",
        "custom_tool_call_input.delta",
        "custom_tool_call_input.done",
        "output_item.done",
    ]
    assert (events[3]["delta"], events[4]["input"]) == ("*** Begin", "*** Begin")
    assert events[-1]["response"]["output"] == [
        {
            "id": f"ctc_{REQUEST}00",
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": "call_c",
            "name": "patch",
            "input": "*** Begin",
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"input": "a\nb"}', "a\nb"),
        ('{"input": "a", "more": 1}', "a"),
        ('{"patch": "a"}', '{"patch": "a"}'),
        ('{"input": 5}', '{"input": 5}'),
        ("not json", "not json"),
        ("[" * 5000, "[" * 5000),
    ],
)
def test_a_custom_tool_gets_what_the_model_wrote_in_any_case(arguments, text):
    [item] = output(ToolCalled("c", "patch", arguments), CALLS)

    assert item["input"] == text


def test_a_call_of_a_tool_in_a_namespace_has_both_names():
    spawn, say = output(
        ToolCalled("a", "agents__spawn", "{}"), ToolCalled("b", "agents__say", "{}"), CALLS
    )

    assert (spawn["type"], spawn["namespace"], spawn["name"]) == (
        "function_call",
        "agents",
        "spawn",
    )
    assert (say["type"], say["namespace"], say["name"]) == ("custom_tool_call", "agents", "say")


def test_white_space_between_calls_is_no_message():
    items = output(
        TextDelta("\n"),
        ToolCalled("a", "w", "{}"),
        TextDelta("\n"),
        TextDelta(" "),
        ToolCalled("b", "w", "{}"),
        TextDelta("\n"),
        CALLS,
    )

    assert [item["type"] for item in items] == ["function_call", "function_call"]


def test_white_space_before_text_belongs_to_it():
    [message] = output(TextDelta("\n"), TextDelta(" "), TextDelta("a"), TextDelta(" "), STOP)

    assert message["content"][0]["text"] == "\n a "


@pytest.mark.parametrize(("events", "text"), [([], ""), ([TextDelta("\n")], "\n")])
def test_an_answer_without_a_word_is_a_message_all_the_same(events, text):
    [message] = output(*events, STOP)

    assert (message["type"], message["content"][0]["text"]) == ("message", text)


def test_thoughts_alone_are_an_answer():
    [thoughts] = output(ReasoningDelta("hm"), LENGTH)

    assert (thoughts["type"], thoughts["status"]) == ("reasoning", "incomplete")


def test_an_answer_cut_at_the_limit_is_incomplete():
    events = told(TextDelta("a"), LENGTH)

    assert events[-1]["type"] == "response.incomplete"
    response = events[-1]["response"]
    assert response["status"] == "incomplete"
    assert response["incomplete_details"] == {"reason": "max_output_tokens"}
    assert response["output"][0]["status"] == "incomplete"
    assert response["usage"]["total_tokens"] == 7


def test_a_complete_answer_tells_its_usage_and_its_time():
    response = told(TextDelta("a"), STOP)[-1]["response"]

    assert (response["status"], response["error"], response["incomplete_details"]) == (
        "completed",
        None,
        None,
    )
    assert response["usage"]["input_tokens"] == 5
    assert response["completed_at"] > 7


def test_the_first_events_have_no_answer_yet():
    created, in_progress = told()

    assert created["response"] == in_progress["response"]
    assert created["response"]["status"] == "in_progress"
    assert (created["response"]["output"], created["response"]["usage"]) == ([], None)
    assert HEAD.items() <= created["response"].items()


def test_silence_is_an_event_and_not_a_comment():
    folded = answer()
    list(folded.write(Started(5)))

    [text] = folded.write(Idle())

    assert text.startswith("event: response.in_progress\ndata: {")


def test_a_failure_is_told_twice_and_nothing_is_complete():
    events = told(TextDelta("a"), Failed(GenerationFailed("generation failed: x")))

    error, failed = events[-2:]
    message = "server error: generation failed: x"
    assert error == {
        "type": "error",
        "code": "server_error",
        "message": message,
        "param": None,
        "sequence_number": failed["sequence_number"] - 1,
    }
    assert (failed["type"], failed["response"]["status"]) == ("response.failed", "failed")
    assert failed["response"]["error"] == {"code": "server_error", "message": message}
    assert "response.completed" not in [event["type"] for event in events]


def test_a_stream_that_breaks_fails_as_well():
    events = [json.loads(text.split("data: ")[1]) for text in answer().broken().split("\n\n")[:-1]]

    assert [event["type"] for event in events] == ["error", "response.failed"]
    assert "the stream broke" in events[1]["response"]["error"]["message"]
    assert 1000 < events[0]["sequence_number"] < events[1]["sequence_number"]


def test_a_complete_response_is_kept_before_it_is_told():
    kept = []
    folded = answer(keep=kept.append)
    for event in (Started(5), TextDelta("a")):
        list(folded.feed(event))
        assert kept == []

    *_, last = folded.feed(STOP)

    assert kept == [last["response"]]


def test_a_failed_response_is_not_kept():
    kept = []
    folded = answer(keep=kept.append)

    list(folded.feed(Failed(GenerationFailed("x"))))

    assert kept == []


def test_events_are_encoded_with_their_names():
    folded = answer()
    list(folded.write(Started(5)))

    texts = list(folded.write(TextDelta("é")))

    assert texts[-1].startswith("event: response.output_text.delta\ndata: {")
    assert '"delta":"é"' in texts[-1]
    assert texts[-1].endswith("}\n\n")


def test_text_of_the_request_that_no_utf_8_can_spell_does_not_break_the_stream():
    head = {**HEAD, "instructions": "a\ud800b"}
    folded = ResponseAnswer(request_id=REQUEST, head=head, box=TOOLS)

    text = next(folded.write(Started(5)))

    assert '"instructions":"a?b"' in text
