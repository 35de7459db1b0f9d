"""Frames of the chat's WebSocket: every one is typed, and what is malformed is named."""

import json
from typing import get_args

import pytest

from sessions.frames.client import ClientFrame, FrameError, Prompt, SetSampling, read_frame
from sessions.frames.schema import frame_schemas
from sessions.frames.server import (
    ContextUsage,
    ServerFrame,
    ToolStart,
    TurnEnd,
    UiSpotlight,
    write_frame,
)

# By name, the members that a frame of the contract has beside its type.
CLIENT_FRAMES = {
    "prompt": {"text", "images"},
    "abort": set(),
    "approval": {"callId", "decision", "editedArgs", "alwaysAllow"},
    "set_thinking": {"enabled"},
    "set_coding_tools": {"enabled"},
    "set_adapter": {"id"},
    "set_sampling": {
        *("scope", "temperature", "top_p", "top_k", "min_p", "xtc_probability", "xtc_threshold"),
        *("repetition_penalty", "repetition_context_size", "presence_penalty"),
        *("frequency_penalty", "seed"),
    },
    "set_system_prompt": {"text"},
    "new_session": set(),
    "list_sessions": set(),
    "open_session": {"path"},
    "fork_session": {"path"},
    "delete_session": {"path"},
    "regenerate": set(),
    "edit_resend": {"text"},
    "switch_sibling": {"entryId"},
    "context": {"context"},
}
SERVER_FRAMES = {
    "ready": {"model", "vision", "audio", "thinking", "genDefaults"},
    "turn_start": set(),
    "text_delta": {"delta"},
    "thinking_delta": {"delta"},
    "tool_start": {"callId", "tool", "args"},
    "tool_approval_request": {"callId", "tool", "args"},
    "tool_update": {"callId", "chunk"},
    "tool_end": {"callId", "ok", "result"},
    "turn_end": {"lane"},
    "queue_update": {"steering", "followUp"},
    "history": {"items"},
    "sessions": {"items", "activePath"},
    "siblings": {"entryId", "index", "count", "siblingIds"},
    "context": {"tokens", "contextWindow", "percent"},
    "coding_tools": {"active", "pending"},
    "tool_approvals": {"alwaysAllow"},
    "ui_navigate": {"route"},
    "ui_spotlight": {"ref", "label", "selector", "target", "message", "route"},
    "error": {"message"},
}


def members(frames):
    found = {}
    for frame in get_args(frames):
        schema = frame.model_json_schema()["properties"]
        found[schema["type"]["const"]] = schema.keys() - {"type"}
    return found


@pytest.mark.parametrize(
    ("frames", "expected"), [(ClientFrame, CLIENT_FRAMES), (ServerFrame, SERVER_FRAMES)]
)
def test_every_frame_of_the_contract_has_its_members(frames, expected):
    found = members(frames)

    for name, names in expected.items():
        assert names <= found[name], name


def test_a_prompt_is_read_with_its_pictures():
    frame = read_frame(
        '{"type":"prompt","text":"What is this?","images":[{"data":"AAAA","mimeType":"image/png"}]}'
    )

    assert isinstance(frame, Prompt)
    assert frame.images[0].mime_type == "image/png"


def test_sampling_keeps_the_names_that_the_api_uses():
    frame = read_frame('{"type":"set_sampling","scope":"next_turn","top_p":0.5,"seed":7}')

    assert isinstance(frame, SetSampling)
    assert (frame.scope, frame.top_p, frame.seed) == ("next_turn", 0.5, 7)
    assert frame.temperature is None


def test_an_element_is_read_with_or_without_its_tag():
    element = {"ref": "e1", "label": "Send", "kind": "interactive", "selector": "#s"}
    told = [{**element, "tag": "button"}, element]
    snapshot = {"route": "chat", "capturedAt": "2026-01-01T00:00:00Z", "elements": told}
    frame = {"type": "context", "context": {"route": "chat", "snapshot": snapshot}}

    read = read_frame(json.dumps(frame)).context.snapshot.elements

    assert [(each.tag, each.label) for each in read] == [("button", "Send"), ("", "Send")]


def test_what_a_newer_page_adds_is_passed_over():
    assert read_frame('{"type":"abort","why":"bored"}').type == "abort"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "Invalid JSON"),
        ("[1]", "should be an object"),
        ('{"text":"x"}', "type"),
        ('{"type":"shout"}', "'shout'"),
        ('{"type":"prompt"}', "prompt.text: Field required"),
        ('{"type":"prompt","text":5}', "prompt.text"),
        ('{"type":"prompt","text":"x","images":{}}', "prompt.images"),
        ('{"type":"approval","callId":"1","decision":"maybe"}', "decision"),
        ('{"type":"set_sampling","xtc_threshold":0.6}', "xtc_threshold"),
        ('{"type":"set_sampling","temperature":"hot"}', "temperature"),
        ('{"type":"set_sampling","temperature":NaN}', "temperature"),
        ('{"type":"context","context":{"route":"chat"}}', "snapshot"),
    ],
)
def test_a_malformed_frame_is_refused_by_the_place_that_is_wrong(text, part):
    with pytest.raises(FrameError, match="(?s)" + part.replace(".", r"\.")):
        read_frame(text)


def test_members_that_say_nothing_are_left_out():
    assert write_frame(TurnEnd()) == '{"type":"turn_end"}'
    assert json.loads(write_frame(UiSpotlight(target="composer"))) == {
        "type": "ui_spotlight",
        "target": "composer",
    }


def test_an_unknown_fill_of_the_window_is_said_to_be_unknown():
    told = json.loads(write_frame(ContextUsage(tokens=None, context_window=8192, percent=None)))

    assert told == {"type": "context", "tokens": None, "contextWindow": 8192, "percent": None}


def test_arguments_of_a_tool_arrive_as_they_are_even_where_they_hold_null():
    frame = ToolStart(call_id="c1", tool="read", args={"path": "a", "limit": None})

    assert json.loads(write_frame(frame))["args"] == {"path": "a", "limit": None}


def test_what_has_no_utf_8_is_told_as_far_as_it_can_be():
    args = {"na\udcffme": ["\ud83d", 1, float("nan"), None]}

    told = json.loads(write_frame(ToolStart(call_id="c1", tool="read", args=args)))

    assert told["args"] == {"na\ufffdme": ["\ufffd", 1, None, None]}
    assert told["callId"] == "c1"


def test_schemas_name_each_frame_once_and_refer_to_nothing_else():
    schemas = frame_schemas()

    text = json.dumps(schemas)
    referred = {ref.split('"')[0] for ref in text.split("#/components/schemas/")[1:]}
    assert referred <= schemas.keys()
    assert {"ChatClientFrame", "ChatServerFrame"} <= schemas.keys()
    for name, schema in schemas.items():
        if "properties" in schema and "type" in schema["properties"]:
            assert "type" in schema["required"], name
