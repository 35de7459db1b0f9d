"""Calls that clients send back, and the model's own spelling of them."""

import pytest

from inference.events import ToolCalled
from inference.messages import Message, Role, ToolCall
from inference.request import ChatPrompt
from inference.text import call_memory
from inference.text.call_memory import CallMemory

EDIT = {
    "type": "function",
    "function": {
        "name": "edit",
        "parameters": {
            "type": "object",
            "properties": {"path": {}, "all": {"type": "boolean", "default": False}},
        },
    },
}


def restored(sent, *, own='{"path": "x", "n": 1}', name="edit", call_id="call_7", tools=(EDIT,)):
    memory = CallMemory()
    memory.remember(ToolCalled("7", "edit", own))
    message = Message(Role.ASSISTANT, "", tool_calls=(ToolCall(call_id, name, sent),))
    prompt = memory.restore(ChatPrompt((Message(Role.USER, "hi"), message), tools))
    [call] = prompt.messages[1].tool_calls
    return list(call.arguments.items())


@pytest.mark.parametrize(
    "sent",
    [
        {"n": 1, "path": "x"},
        {"all": False, "path": "x", "n": 1},
        {"n": 1.0, "path": "x"},
    ],
)
@pytest.mark.parametrize("call_id", ["call_7", "toolu_7", "7"])
def test_what_means_the_same_is_written_as_the_model_wrote_it(sent, call_id):
    assert restored(sent, call_id=call_id) == [("path", "x"), ("n", 1)]


@pytest.mark.parametrize(
    "sent",
    [
        {"n": 2, "path": "x"},
        {"path": "x"},
        {"all": True, "path": "x", "n": 1},
        {"other": 1, "path": "x", "n": 1},
        {"path": "x", "n": True},
        {},
    ],
)
def test_what_means_something_else_stays_as_it_was_sent(sent):
    assert restored(sent) == list(sent.items())


def test_an_unknown_id_and_another_name_stay_as_they_were_sent():
    sent = {"n": 1, "path": "x"}

    assert restored(sent, call_id="call_8") == list(sent.items())
    assert restored(sent, name="write") == list(sent.items())


def test_values_are_compared_in_depth():
    own = '{"a": [{"b": 1, "c": null}]}'

    assert restored({"a": [{"c": None, "b": 1}]}, own=own) == [("a", [{"b": 1, "c": None}])]
    assert restored({"a": [{"c": None, "b": False}]}, own=own) == [("a", [{"c": None, "b": False}])]


def test_a_conversation_without_calls_is_left_alone():
    prompt = ChatPrompt((Message(Role.USER, "hi"),))

    assert CallMemory().restore(prompt) is prompt


@pytest.mark.parametrize(("limit", "value"), [("MAX_CALLS", 2), ("MAX_BYTES", 20)])
def test_the_oldest_calls_make_room(monkeypatch, limit, value):
    monkeypatch.setattr(call_memory, limit, value)
    memory = CallMemory()

    for number in range(9):
        memory.remember(ToolCalled(str(number), "edit", '{"a":1}'))

    assert len(memory._calls) <= 2
    assert "8" in memory._calls and "0" not in memory._calls
    assert memory._nbytes == sum(call.nbytes for call in memory._calls.values()) <= 22
