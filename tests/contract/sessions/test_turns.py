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
