"""Turns of a chat: what waits for its turn, and how a turn ends when something is wrong."""

import asyncio

import pytest

from sessions.tools.base import ToolResult
from tests.plugins.chat import call, text_of, tool


@pytest.fixture
def wait():
    """A tool that waits until the test lets it go on."""
    release = asyncio.Event()

    async def run(args, update):
        await release.wait()
        return ToolResult("ok")

    made = tool("wait", run)
    return made, release


@pytest.mark.parametrize("frame", [{"kind": "regenerate"}, {"kind": "edit_resend", "text": "1"}])
async def test_a_prompt_sent_during_a_second_answer_is_answered_after_it(chat, wait, frame):
    waiting, release = wait
    answers = ["One.", call("wait"), "Two.", "Three."]
    connection = await chat(answers, tools=[waiting])
    await connection.ask("first")
    await connection.send(**frame)
    await connection.until("tool_start")

    await connection.send("prompt", text="second")

    assert (await connection.until("queue_update"))["followUp"] == ["second"]
    release.set()
    assert (await connection.until("queue_update"))["followUp"] == []
    connection.frames.clear()
    await connection.until("turn_end")
    assert text_of(connection.frames) == "Three."


async def test_a_new_chat_is_in_the_list_as_soon_as_something_was_said_in_it(chat, wait):
    connection = await chat([call("wait"), "Done."], tools=[wait[0]])
    await connection.send("prompt", text="Hello")

    told = await connection.until("sessions")

    assert "turn_end" not in [frame["type"] for frame in connection.frames]
    assert told["items"][0]["title"] == "Hello"
    assert told["activePath"] == told["items"][0]["path"]
    wait[1].set()
    await connection.until("turn_end")


async def test_an_answer_that_was_stopped_is_in_the_list(chat, wait):
    connection = await chat([call("wait")], tools=[wait[0]])
    await connection.send("prompt", text="Hello")
    await connection.until("tool_start")

    await connection.send("abort")

    await connection.until("turn_end")
    assert (await connection.until("sessions"))["items"][0]["messageCount"] == 2


async def test_a_chat_that_is_entered_brings_its_queue_and_how_full_it_is(chat):
    connection = await chat(["One."])
    frames = await connection.ask("first")
    path = frames[-1]["activePath"]
    known = next(frame for frame in frames if frame["type"] == "context")
    unknown = {"type": "context", "tokens": None, "percent": None, "contextWindow": 100_000}
    nothing = {"type": "queue_update", "steering": [], "followUp": []}

    for frame, usage in [
        ({"kind": "new_session"}, unknown),
        ({"kind": "open_session", "path": path}, known),
        ({"kind": "fork_session", "path": path}, known),
        ({"kind": "new_session", "temporary": True}, unknown),
        ({"kind": "open_session", "path": path}, known),
        ({"kind": "delete_session", "path": path}, unknown),
    ]:
        await connection.send(**frame)
        assert await connection.until("queue_update") == nothing
        assert await connection.until("context") == usage
        await connection.until("sessions")


async def test_what_waits_is_let_go_when_another_chat_is_opened(chat, wait):
    connection = await chat([call("wait"), "Never."], tools=[wait[0]])
    await connection.send("prompt", text="One")
    await connection.until("tool_start")
    await connection.send("prompt", text="Two")
    assert (await connection.until("queue_update"))["followUp"] == ["Two"]

    await connection.send("new_session")

    assert (await connection.until("queue_update"))["followUp"] == []
    assert (await connection.until("history"))["items"] == []
