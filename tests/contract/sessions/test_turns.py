"""Turns of a chat: what waits for its turn, and how a turn ends when something is wrong."""

import asyncio
import threading

import pytest

from sessions.store.session_file import SessionFile
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


async def test_stopping_ends_a_running_tool_and_keeps_what_was_said(chat, chat_store):
    started, ended = asyncio.Event(), asyncio.Event()

    async def hang(args, update):
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    connection = await chat(["Let me see. " + call("hang"), "never"], tools=[tool("hang", hang)])
    await connection.send("prompt", text="Hang")
    await asyncio.wait_for(started.wait(), 10)

    await connection.send("abort")

    end = await connection.until("tool_end")
    assert (end["ok"], end["result"]) == (False, "Aborted by user.")
    await connection.until("turn_end")
    assert ended.is_set()
    (file,) = chat_store.files()
    assert [e.role for e in file.read()[1:]] == ["user", "assistant", "toolResult"]


@pytest.mark.parametrize(
    "frame",
    [{"kind": "prompt", "text": "two"}, {"kind": "regenerate"}],
    ids=lambda frame: frame["kind"],
)
async def test_a_question_that_was_stopped_while_it_was_written_is_shown(chat, monkeypatch, frame):
    begun, go_on = threading.Event(), threading.Event()
    follow = SessionFile.follow

    def slowly(self, make):
        begun.set()
        assert go_on.wait(10)
        return follow(self, make)

    connection = await chat(["Hi."])
    known = next(f for f in await connection.ask("one") if f["type"] == "siblings")
    monkeypatch.setattr(SessionFile, "follow", slowly)
    await connection.send(**frame)
    await asyncio.to_thread(begun.wait, 10)

    await connection.send("abort")
    await connection.until("queue_update")
    connection.frames.clear()
    go_on.set()

    await connection.until("turn_end")
    siblings, end = connection.frames
    assert siblings["type"] == "siblings"
    assert siblings["entryId"] not in (None, known["entryId"])
    assert end == {"type": "turn_end"}
    await connection.until("sessions")


async def test_a_stopped_answer_is_kept_as_far_as_it_came(chat, chat_store, gate):
    from inference.engine.scripted import ScriptedRunner

    steps = []

    def hold(plan):
        steps.extend(plan.decodes)
        if len(steps) > 5:
            gate.hold(plan)

    runner = ScriptedRunner(lambda s: b"A long answer", on_step=hold)
    connection = await chat(["unused"], runner=runner)
    await connection.send("prompt", text="Talk")
    await connection.until("text_delta")

    await connection.send("abort")
    await connection.until("turn_end")

    (file,) = chat_store.files()
    last = file.read()[-1]
    assert last.message["stopReason"] == "aborted"
    assert "A long answer".startswith(last.message["content"][0]["text"])


async def test_a_prompt_sent_during_an_answer_waits_its_turn(chat):
    release = asyncio.Event()

    async def wait(args, update):
        await release.wait()
        return ToolResult("ok")

    connection = await chat([call("wait"), "First.", "Second."], tools=[tool("wait", wait)])
    await connection.send("prompt", text="One")
    await connection.until("tool_start")

    await connection.send("prompt", text="Two")

    queue = {"type": "queue_update", "steering": [], "followUp": ["Two"]}
    assert await connection.until("queue_update") == queue
    release.set()
    assert (await connection.until("queue_update"))["followUp"] == []
    connection.frames.clear()
    await connection.until("sessions")
    assert text_of(connection.frames) == "Second."
