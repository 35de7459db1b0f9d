"""What open chats are told when the server goes over to another model."""

import asyncio

from inference import runtime
from sessions.tools.base import ToolResult
from tests.plugins.chat import call, kinds, tool


async def test_every_open_chat_is_greeted_by_the_new_model(chat):
    one, other = await chat(), await chat()

    await asyncio.to_thread(runtime._install, runtime.get_service())

    for connection in (one, other):
        assert (await connection.until("ready"))["model"] == "scripted"


async def test_an_answer_under_way_ends_before_the_greeting(chat):
    release = asyncio.Event()

    async def wait(args, update):
        await release.wait()
        return ToolResult("ok")

    connection = await chat([call("wait"), "Done."], tools=[tool("wait", wait)])
    await connection.send("prompt", text="Hello")
    await connection.until("tool_start")

    await asyncio.to_thread(runtime._install, runtime.get_service())
    release.set()

    await connection.until("ready")
    assert "turn_end" in kinds(connection.frames)


async def test_a_chat_that_was_left_is_told_nothing(chat):
    connection = await chat()
    assert len(runtime._watchers) == 1

    await connection.close()

    assert runtime._watchers == []
