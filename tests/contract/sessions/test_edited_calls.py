"""A call whose arguments the user put right is, from then on, the call that was made."""

import asyncio

import pytest

from sessions.agent import prompt
from sessions.tools.base import ToolFailed
from tests.plugins.chat import call, text_of, tool


@pytest.fixture
def change():
    return [tool("change", gated=True)]


async def allow(connection, **edited):
    request = await connection.until("tool_approval_request")
    members = {"editedArgs": edited} if edited else {}
    await connection.send("approval", callId=request["callId"], decision="allow", **members)


async def test_the_page_and_the_model_are_shown_what_ran(chat, change):
    connection = await chat([call("change", cmd="rm"), "Done."], tools=change)
    await connection.send("prompt", text="Change it")
    await allow(connection, cmd="ls")
    await connection.until("turn_end")
    path = (await connection.until("sessions"))["activePath"]

    await connection.send("open_session", path=path)

    (_, answer) = (await connection.until("history"))["items"]
    assert answer["parts"][0]["args"] == {"cmd": "ls"}
    assert answer["parts"][0]["result"] == 'change got {"cmd": "ls"}'
    seen = connection.prompts[1].partition("<user>")[2]
    assert "ls" in seen
    assert "rm" not in seen
    assert prompt.EDITED in seen


async def test_arguments_that_were_left_alone_are_not_spoken_of(chat, change, chat_store):
    connection = await chat([call("change", cmd="ls"), "Done."], tools=change)
    await connection.send("prompt", text="Change it")
    await allow(connection, cmd="ls")
    await connection.until("turn_end")

    assert prompt.EDITED not in connection.prompts[1]
    (file,) = chat_store.files()
    result = next(entry for entry in file.read() if entry.role == "toolResult")
    assert "arguments" not in result.message


@pytest.mark.parametrize("again", ["rm", "ls"], ids=["as it was asked", "as it was made"])
async def test_neither_spelling_is_made_again_right_after(chat, change, again):
    answers = [call("change", cmd="rm"), call("change", cmd=again), "Done."]
    connection = await chat(answers, tools=change)
    await connection.send("prompt", text="Change it")
    await allow(connection, cmd="ls")
    await connection.until("turn_end")

    ends = [frame for frame in connection.frames if frame["type"] == "tool_end"]
    assert [end["ok"] for end in ends] == [True, False]
    assert 'change got {"cmd": "ls"}' in ends[1]["result"]
    assert text_of(connection.frames) == "Done."


async def test_failures_of_both_spellings_count(chat):
    async def fail(args, update):
        raise ToolFailed("locked")

    answers = [*[call("change", cmd="rm")] * 3, "Done."]
    connection = await chat(answers, tools=[tool("change", fail, gated=True)])
    await connection.send("prompt", text="Change it")
    for number in range(3):
        await allow(connection, cmd=f"ls {number}")
    await connection.until("turn_end")

    ends = [frame["result"] for frame in connection.frames if frame["type"] == "tool_end"]
    assert ends[1] == "locked"
    assert "failed 3 times" in ends[2]


async def test_what_was_stopped_after_it_was_put_right_tells_so(chat, chat_store):
    begun = asyncio.Event()

    async def hang(args, update):
        begun.set()
        await asyncio.Event().wait()

    answers = [call("change", cmd="rm")]
    connection = await chat(answers, tools=[tool("change", hang, gated=True)])
    await connection.send("prompt", text="Change it")
    await allow(connection, cmd="ls")
    await asyncio.wait_for(begun.wait(), 10)
    await connection.send("abort")
    await connection.until("turn_end")

    (file,) = chat_store.files()
    result = next(entry for entry in file.read() if entry.role == "toolResult")
    assert result.message["arguments"] == {"cmd": "ls"}
