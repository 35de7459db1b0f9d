"""Anthropic's SDK in agents: rounds of tools, over two turns of a conversation."""

from anthropic import beta_async_tool

from tests.contract.clients.markup import call, goes_on_from

ASK = {"model": "any", "max_tokens": 500, "thinking": {"type": "enabled", "budget_tokens": 1024}}
LOOK = {"role": "user", "content": "What is in a.txt?"}
CHANGE = {"role": "user", "content": "Make it blue."}
PATH = {"path": {"type": "string"}}
TOOLS = [
    {"name": name, "description": name, "input_schema": {"type": "object", "properties": PATH}}
    for name in ("read", "edit")
]
READ, EDIT = call("read", path="a.txt"), call("edit", path="a.txt")
ANSWERS = (f"<think>I look.</think>Wait.\n{READ}", "It is red.", EDIT, "It is blue.")


async def converse(messages, ask):
    """Have both turns, each until the model calls nothing more; return all blocks it wrote."""
    blocks = []
    for asked in (LOOK, CHANGE):
        messages.append(asked)
        while True:
            message = await ask(messages)
            blocks += message.content
            messages.append({"role": "assistant", "content": message.content})
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": "red"}
                for block in message.content
                if block.type == "tool_use"
            ]
            assert message.stop_reason == ("tool_use" if results else "end_turn")
            if not results:
                break
            messages.append({"role": "user", "content": results})
    return blocks


def check(blocks, prompts):
    assert [block.type for block in blocks] == [
        "thinking",
        "text",
        "tool_use",
        "text",
        "tool_use",
        "text",
    ]
    assert (blocks[0].thinking, blocks[2].input) == ("I look.", {"path": "a.txt"})
    assert [blocks[3].text, blocks[5].text] == ["It is red.", "It is blue."]
    assert len(prompts) == 4
    assert all(goes_on_from(*pair) for pair in zip(prompts[1:], prompts, strict=False))


async def test_two_turns_with_tools(play, anthropic_client):
    prompts = play(*ANSWERS)

    async def ask(messages):
        return await anthropic_client.messages.create(**ASK, messages=messages, tools=TOOLS)

    check(await converse([], ask), prompts)


async def test_two_turns_with_tools_by_the_streaming_helper(play, anthropic_client):
    prompts = play(*ANSWERS)

    async def ask(messages):
        async with anthropic_client.messages.stream(
            **ASK, messages=messages, tools=TOOLS
        ) as stream:
            return await stream.get_final_message()

    check(await converse([], ask), prompts)


async def test_the_tool_runner_goes_on_until_the_answer(play, anthropic_client):
    asked = []

    @beta_async_tool
    async def read(path: str) -> str:
        """Read a file.

        Args:
            path: where it is
        """
        asked.append(path)
        return "red"

    prompts = play(f"{READ}{call('read', path='b.txt')}", "Both are red.")

    runner = anthropic_client.beta.messages.tool_runner(
        model="any", max_tokens=500, messages=[LOOK], tools=[read]
    )
    message = await runner.until_done()

    assert asked == ["a.txt", "b.txt"]
    assert message.content[0].text == "Both are red."
    assert prompts[1].count("<tool>red") == 2
