"""What a request goes on from."""

import pytest

from inference.api.responses.conversation import Conversation
from inference.api.responses.errors import NotStored
from inference.api.responses.ids import item_id
from inference.api.responses.schema import ResponsesBody
from inference.api.responses.store import ResponseStore, json_bytes

REQUEST = "0123456789abcdef01234567"
OUTPUT = [
    {"id": item_id("rs", REQUEST, 0), "type": "reasoning", "summary": []},
    {"id": item_id("msg", REQUEST, 1), "type": "message", "role": "assistant", "content": "Ada"},
]


def response(request_id=REQUEST, **fields):
    return {"id": f"resp_{request_id}", "instructions": None, "output": OUTPUT, **fields}


@pytest.fixture
def store():
    return ResponseStore()


def conversation(store, **fields):
    return Conversation.of(ResponsesBody.from_json({"input": "hi", **fields}), store)


def texts(items):
    return [item["content"] for item in items]


def test_a_request_that_refers_to_nothing_stands_alone(store):
    alone = conversation(store, instructions="be kind")

    assert (alone.previous, texts(alone.new)) == ((), ["hi"])
    assert (alone.instructions, alone.previous_bytes) == ("be kind", 0)


def test_a_request_goes_on_from_all_that_was_said_but_for_the_thoughts(store):
    conversation(store, input="My name is Ada.").keep(response(), store)

    next_turn = conversation(store, input="Name?", previous_response_id=f"resp_{REQUEST}")

    assert texts(next_turn.previous) == ["My name is Ada.", "Ada"]
    assert texts(next_turn.new) == ["Name?"]


def test_thoughts_that_were_sent_are_not_repeated_either(store):
    sent = [{"role": "user", "content": "hi"}, {"type": "reasoning", "summary": []}]
    conversation(store, input=sent).keep(response(), store)

    next_turn = conversation(store, previous_response_id=f"resp_{REQUEST}")

    assert "reasoning" not in [item.get("type") for item in next_turn.previous]


def test_a_third_turn_has_the_first(store):
    conversation(store, input="one").keep(response(), store)
    second = conversation(store, input="two", previous_response_id=f"resp_{REQUEST}")
    second.keep(response("f" * 24), store)

    third = conversation(store, input="three", previous_response_id="resp_" + "f" * 24)

    assert texts(third.previous) == ["one", "Ada", "two", "Ada"]
    assert third.previous_bytes == json_bytes(third.previous)


@pytest.mark.parametrize(("sent", "in_force"), [(None, "OLD"), ("", "OLD"), ("NEW", "NEW")])
def test_instructions_stay_in_force_until_there_are_others(store, sent, in_force):
    conversation(store).keep(response(instructions="OLD"), store)

    next_turn = conversation(store, instructions=sent, previous_response_id=f"resp_{REQUEST}")

    assert next_turn.instructions == in_force


def test_what_is_kept_is_measured(store):
    kept = response()

    conversation(store).keep(kept, store)

    item = {"type": "message", "role": "user", "content": "hi"}
    expected = json_bytes([item, OUTPUT[1]]) + json_bytes(kept)
    assert store.stats()["bytes"] == expected


def test_items_are_named_by_their_places_in_the_request(store):
    conversation(store).keep(response(), store)

    next_turn = conversation(store, input="Name?", previous_response_id=f"resp_{REQUEST}")

    assert next_turn.placed_items()[-1] == ("input[0]", next_turn.new[0])
    assert len(next_turn.placed_items()) == 3


@pytest.mark.parametrize("reference", [{"type": "item_reference"}, {}])
def test_a_reference_stands_for_the_item_it_names(store, reference):
    conversation(store).keep(response(), store)

    sent = [{**reference, "id": item["id"]} for item in OUTPUT]

    assert conversation(store, input=sent).new == tuple(OUTPUT)


@pytest.mark.parametrize("wire_id", ["msg_1", item_id("msg", REQUEST, 7), "x", ""])
def test_a_reference_to_nothing_is_told(store, wire_id):
    conversation(store).keep(response(), store)

    with pytest.raises(NotStored, match="item with id"):
        conversation(store, input=[{"type": "item_reference", "id": wire_id}])


def test_a_previous_response_that_is_not_there_is_told(store):
    with pytest.raises(NotStored, match="previous response with id 'resp_unknown' not found"):
        conversation(store, previous_response_id="resp_unknown")
