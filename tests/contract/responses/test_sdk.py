"""OpenAI's own client, as its users call it."""

import openai
import pytest
from pydantic import BaseModel

SAID = "This is the scripted model. You said: "
WEATHER = {
    "type": "function",
    "name": "w",
    "description": "weather",
    "strict": False,
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
PATCH = {"type": "custom", "name": "patch", "description": "edit"}
CALL = (
    '<think>hm</think>Hi.\n<tool_call>\n{"name": "w", "arguments": {"city": "Oslo"}}\n</tool_call>'
)
PATCHED = '<tool_call>\n{"name": "patch", "arguments": {"input": "*** Begin"}}\n</tool_call>'
FIRST = ["response.created", "response.in_progress"]


class Person(BaseModel):
    name: str
    age: int


@pytest.mark.slow
def test_a_response_over_a_real_connection(remote):
    response = remote.responses.create(model="any", input="hi")

    assert response.output_text == SAID + "hi"
    assert (response.object, response.status, response.model) == (
        "response",
        "completed",
        "scripted",
    )
    assert response.id.startswith("resp_")
    assert response.usage.output_tokens == len(SAID + "hi") + 1
    assert response.usage.input_tokens + response.usage.output_tokens == response.usage.total_tokens
    assert response.usage.input_tokens_details.cached_tokens == 0
    assert response.usage.output_tokens_details.reasoning_tokens == 0
    assert (response.error, response.incomplete_details) == (None, None)


@pytest.mark.slow
def test_a_stream_over_a_real_connection(remote):
    with remote.responses.create(model="any", input="hi", stream=True) as stream:
        events = list(stream)

    assert [event.type for event in events][:2] == FIRST
    assert events[-1].type == "response.completed"
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(deltas) == events[-1].response.output_text == SAID + "hi"


@pytest.mark.slow
def test_the_streaming_helper_over_a_real_connection(remote):
    with remote.responses.stream(model="any", input="hi") as stream:
        snapshots = [e.snapshot for e in stream if e.type == "response.output_text.delta"]
        response = stream.get_final_response()

    assert snapshots[-1] == response.output_text == SAID + "hi"


@pytest.mark.slow
def test_two_turns_over_a_real_connection(remote):
    first = remote.responses.create(model="any", input="one", instructions="be kind")
    second = remote.responses.create(model="any", input="two", previous_response_id=first.id)

    assert second.previous_response_id == first.id
    assert second.output_text == SAID + "two"
    assert second.instructions == "be kind"
    assert second.usage.input_tokens > first.usage.total_tokens


async def test_thoughts_text_and_calls(play, sdk):
    play(CALL)

    response = await sdk.responses.create(model="any", input="weather?", tools=[WEATHER])

    thoughts, message, call = response.output
    assert (thoughts.type, thoughts.summary[0].text) == ("reasoning", "hm")
    assert message.content[0].text.strip() == "Hi."
    assert (call.type, call.name, call.arguments) == ("function_call", "w", '{"city": "Oslo"}')
    assert call.call_id.startswith("call_")
    assert response.usage.output_tokens_details.reasoning_tokens > 0


async def test_a_round_of_tools_without_the_store(play, sdk):
    prompts = play(CALL)
    asked = [{"role": "user", "content": "weather?"}]
    response = await sdk.responses.create(model="any", input=asked, tools=[WEATHER], store=False)

    call = response.output[-1]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    again = [*asked, *response.output, result]
    await sdk.responses.create(model="any", input=again, tools=[WEATHER], store=False)

    assert prompts[1].startswith(prompts[0].removesuffix("<assistant>"))
    assert prompts[1].index('{"city": "Oslo"}') < prompts[1].index("<tool>rain")


async def test_a_round_of_tools_with_the_store(play, sdk):
    prompts = play(CALL)
    first = await sdk.responses.create(model="any", input="weather?", tools=[WEATHER])

    result = {"type": "function_call_output", "call_id": first.output[-1].call_id, "output": "rain"}
    await sdk.responses.create(
        model="any", input=[result], previous_response_id=first.id, tools=[WEATHER]
    )

    assert prompts[1].index('{"city": "Oslo"}') < prompts[1].index("<tool>rain")


async def test_items_can_be_sent_as_references(play, sdk):
    prompts = play(CALL)
    first = await sdk.responses.create(model="any", input="weather?", tools=[WEATHER])

    references = [{"type": "item_reference", "id": item.id} for item in first.output]
    result = {"type": "function_call_output", "call_id": first.output[-1].call_id, "output": "rain"}
    asked = {"role": "user", "content": "weather?"}
    await sdk.responses.create(model="any", input=[asked, *references, result], tools=[WEATHER])

    assert prompts[1].index("Hi.") < prompts[1].index('"Oslo"') < prompts[1].index("<tool>rain")


async def test_a_custom_tool_gets_plain_text(play, sdk):
    play(PATCHED)

    response = await sdk.responses.create(model="any", input="edit", tools=[PATCH])

    [call] = response.output
    assert (call.type, call.name, call.input) == ("custom_tool_call", "patch", "*** Begin")


async def test_a_tool_of_a_namespace_comes_back_with_both_names(play, sdk):
    play(CALL.replace('"name": "w"', '"name": "sky__w"'))
    sky = {"type": "namespace", "name": "sky", "description": "above", "tools": [WEATHER]}

    response = await sdk.responses.create(model="any", input="weather?", tools=[sky])

    call = response.output[-1]
    assert (call.namespace, call.name) == ("sky", "w")


async def test_the_streaming_helper_with_thoughts_and_calls(play, sdk):
    play(CALL)

    async with sdk.responses.stream(model="any", input="hi", tools=[WEATHER]) as stream:
        kinds = [event.type async for event in stream]
        response = await stream.get_final_response()

    assert kinds[:2] == FIRST
    assert [item.type for item in response.output] == ["reasoning", "message", "function_call"]


async def test_a_format_is_parsed(play, sdk):
    play('{"name": "Ada", "age": 36}')

    response = await sdk.responses.parse(model="any", input="who?", text_format=Person)

    assert response.output_parsed == Person(name="Ada", age=36)


async def test_a_format_is_parsed_from_a_stream(play, sdk):
    play('{"name": "Ada", "age": 36}')

    async with sdk.responses.stream(model="any", input="who?", text_format=Person) as stream:
        response = await stream.get_final_response()

    assert response.output_parsed == Person(name="Ada", age=36)


async def test_an_answer_cut_at_the_limit(play, sdk):
    play()

    response = await sdk.responses.create(model="any", input="hi", max_output_tokens=4)

    assert (response.status, response.incomplete_details.reason) == (
        "incomplete",
        "max_output_tokens",
    )
    assert response.output_text == "Hell"


async def test_an_answer_cut_at_the_limit_in_a_stream(play, sdk):
    play()

    stream = await sdk.responses.create(model="any", input="hi", max_output_tokens=4, stream=True)
    events = [event async for event in stream]

    assert events[-1].type == "response.incomplete"
    assert events[-1].response.output_text == "Hell"


async def test_what_is_stored_can_be_read_and_removed(play, sdk):
    play()
    response = await sdk.responses.create(model="any", input="hi", metadata={"a": "b"})

    read = await sdk.responses.retrieve(response.id)
    await sdk.responses.delete(response.id)

    assert read == response
    assert read.metadata == {"a": "b"}
    with pytest.raises(openai.NotFoundError):
        await sdk.responses.retrieve(response.id)


async def test_a_streamed_response_is_stored_as_well(play, sdk):
    play()

    stream = await sdk.responses.create(model="any", input="hi", stream=True)
    last = [event async for event in stream][-1]

    assert (await sdk.responses.retrieve(last.response.id)).output_text == "Hello there"


async def test_a_bad_request_says_what_is_wrong(play, sdk):
    play()

    with pytest.raises(openai.BadRequestError, match="top_p must be at most 1") as raised:
        await sdk.responses.create(model="any", input="hi", top_p=7)

    assert (raised.value.type, raised.value.param) == ("invalid_request_error", None)


async def test_a_previous_response_that_is_not_there(play, sdk):
    play()

    with pytest.raises(openai.NotFoundError, match="previous response with id 'resp_0' not found"):
        await sdk.responses.create(model="any", input="hi", previous_response_id="resp_0")
