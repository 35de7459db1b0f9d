"""OpenAI's SDK in agents: rounds of tools, over two turns of a conversation."""

import json

import openai
from pydantic import BaseModel, Field

from tests.contract.clients.markup import call, goes_on_from

LOOK = {"role": "user", "content": "What is in a.txt?"}
CHANGE = {"role": "user", "content": "Make it blue."}


class Read(BaseModel):
    """Read a file."""

    path: str = Field(description="where it is")


class Edit(BaseModel):
    """Change a file."""

    path: str
    old: str
    new: str


TOOLS = [openai.pydantic_function_tool(Read), openai.pydantic_function_tool(Edit)]
READ = call("Read", path="a.txt")
EDIT = call("Edit", path="a.txt", old="red", new="blue")


def result(of, content):
    return {"role": "tool", "tool_call_id": of.id, "content": content}


async def test_two_turns_with_tools(play, openai_client):
    prompts = play(READ, "It is red.", EDIT, "It is blue.")
    ask = openai_client.chat.completions.create
    messages = [LOOK]
    for asked in (None, CHANGE):
        messages += [asked] if asked else []
        completion = await ask(model="any", messages=messages, tools=TOOLS)
        [choice] = completion.choices
        assert (choice.finish_reason, choice.message.content) == ("tool_calls", None)
        [called] = choice.message.tool_calls
        messages += [choice.message, result(called, "red")]
        completion = await ask(model="any", messages=messages, tools=TOOLS)
        [choice] = completion.choices
        assert choice.finish_reason == "stop"
        messages.append(choice.message)

    assert [m.content for m in messages if getattr(m, "content", None)] == [
        "It is red.",
        "It is blue.",
    ]
    assert json.loads(called.function.arguments) == {"path": "a.txt", "old": "red", "new": "blue"}
    assert all(goes_on_from(*pair) for pair in zip(prompts[1:], prompts, strict=False))
    assert prompts[-1].index("<tool>red") < prompts[-1].index("It is red.")


async def test_two_turns_with_tools_by_the_streaming_helper(play, openai_client):
    prompts = play(f"<think>I look.</think>Wait.\n{READ}", "It is red.", EDIT, "It is blue.")
    messages, arguments = [LOOK], []
    for asked in (None, CHANGE):
        messages += [asked] if asked else []
        for _ in range(2):
            async with openai_client.chat.completions.stream(
                model="any", messages=messages, tools=TOOLS
            ) as stream:
                events = [event async for event in stream]
                completion = await stream.get_final_completion()
            message = completion.choices[0].message
            messages.append(message)
            for called in message.tool_calls or []:
                messages.append(result(called, "red"))
            arguments += [
                event.parsed_arguments
                for event in events
                if event.type == "tool_calls.function.arguments.done"
            ]

    assert arguments == [Read(path="a.txt"), Edit(path="a.txt", old="red", new="blue")]
    assert message.content == "It is blue."
    assert all(goes_on_from(*pair) for pair in zip(prompts[1:], prompts, strict=False))


async def test_thoughts_can_be_sent_back_as_they_came(play, openai_client):
    prompts = play(f"<think>I look.</think>{READ}", "It is red.")
    ask = openai_client.chat.completions.create
    first = (await ask(model="any", messages=[LOOK], tools=TOOLS)).choices[0].message

    back = first.model_dump(exclude_none=True)
    await ask(model="any", messages=[LOOK, back, result(first.tool_calls[0], "red")], tools=TOOLS)

    assert back["reasoning"] == "I look."
    assert goes_on_from(prompts[1], prompts[0])


async def test_calls_side_by_side_get_an_index_and_an_id_each(play, openai_client):
    play(READ + call("Read", path="b.txt"))

    async with openai_client.chat.completions.stream(
        model="any", messages=[LOOK], tools=TOOLS
    ) as stream:
        completion = await stream.get_final_completion()

    calls = completion.choices[0].message.tool_calls
    paths = [json.loads(called.function.arguments)["path"] for called in calls]
    assert paths == ["a.txt", "b.txt"]
    assert len({called.id for called in calls}) == 2


async def test_no_tools_are_offered_where_none_may_be_called(play, openai_client):
    prompts = play("no")

    await openai_client.chat.completions.create(
        model="any", messages=[LOOK], tools=TOOLS, tool_choice="none"
    )

    assert "Read a file" not in prompts[0]
