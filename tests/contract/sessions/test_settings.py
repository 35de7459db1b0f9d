"""What a page chooses for its answers."""

import json

import pytest

from inference import runtime
from sessions.agent import run
from tests.plugins.chat import text_of, tool


@pytest.fixture
def requests(monkeypatch):
    """What the model was asked, one for each answer."""
    seen = []
    original = run.ask

    async def watch(request, answer, send):
        seen.append(request)
        await original(request, answer, send)

    monkeypatch.setattr(run, "ask", watch)
    return seen


async def test_sampling_for_one_message_counts_for_one_message(chat, requests):
    connection = await chat(["One.", "Two."])
    await connection.send("set_sampling", temperature=0.5, top_k=40)
    await connection.send("set_sampling", scope="next_turn", temperature=1.5)

    await connection.ask("one")
    await connection.ask("two")

    drawn = [(request.sampling.temperature, request.sampling.top_k) for request in requests]
    assert drawn == [(1.5, 40), (0.5, 40)]


async def test_thinking_is_left_to_the_server_until_it_is_chosen(chat, requests):
    connection = await chat()
    await connection.ask("one")

    for chosen in (True, False):
        await connection.send("set_thinking", enabled=chosen)
        await connection.ask("again")

    assert [request.prompt.thinking for request in requests] == [None, True, False]


@pytest.mark.parametrize(
    ("id", "adapters"),
    [("a", ("a",)), ("a+b", ("a", "b")), ("a, b", ("a", "b")), (None, ()), ("none", ()), (" ", ())],
)
async def test_adapters_are_chosen_for_the_answers_that_follow(chat, monkeypatch, id, adapters):
    asked = []

    def select(ids):
        asked.append(ids)

    connection = await chat()
    monkeypatch.setattr(runtime.get_service().adapters, "select", select)
    await connection.ask("with the server's own")

    await connection.send("set_adapter", id=id)
    await connection.ask("with these")

    assert asked == [None, adapters]


async def test_an_adapter_that_there_is_not_ends_the_turn_with_an_error(chat):
    connection = await chat()
    await connection.send("set_adapter", id="nope")

    await connection.send("prompt", text="hi")

    assert "nope" in (await connection.until("error"))["message"]
    await connection.until("turn_end")
    await connection.send("set_adapter", id=None)
    assert text_of(await connection.ask("hi")) == "Hello"


async def test_instructions_stand_in_order_and_the_user_s_place_is_last(chat):
    connection = await chat(["Ok."])
    await connection.send("set_system_prompt", text="Answer in rhymes.")
    snapshot = {"route": "quantize", "capturedAt": "2026-01-01T00:00:00Z", "elements": []}
    step = {"index": 1, "count": 4, "label": "Configure"}
    context = {"route": "quantize", "step": step, "snapshot": snapshot}
    await connection.send("context", context=context)

    await connection.ask("hi")

    system = connection.prompts[0].partition("<user>")[0]
    places = [
        system.index(part)
        for part in ("scripted", "---\nAnswer in rhymes.", "[user is on: Quantize · step 2/4]")
    ]
    assert places == sorted(places)


async def test_a_schema_holds_the_answer_and_tools_are_not_offered(chat):
    connection = await chat(['{"a": 1}'], tools=[tool("look")])
    await connection.send("set_structured", schema={"type": "object"})

    frames = await connection.ask("Give me JSON")

    assert json.loads(text_of(frames)) is not None
    assert "<tools>" not in connection.prompts[0]


async def test_confidence_is_told_for_each_token_if_asked_for(chat):
    connection = await chat(["Hi."])
    await connection.send("set_logprobs", enabled=True)

    frames = await connection.ask("hi")

    scores = next(frame for frame in frames if frame["type"] == "logprobs")["tokens"]
    assert "".join(score["text"] for score in scores[:3]) == "Hi."
    assert all(score["logprob"] <= 0 for score in scores)
