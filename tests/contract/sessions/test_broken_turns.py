"""Turns in which something fails: each ends with a frame, and the chat goes on."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from sessions import consumer, index
from sessions.agent.current_session import CurrentSession
from sessions.agent.equipment import Equipment
from sessions.errors import NotWritten
from sessions.frames.server import write_frame
from sessions.store import session_file
from sessions.tools.base import ToolResult
from tests.plugins.chat import kinds, text_of, tool


async def test_a_question_that_cannot_be_written_ends_its_turn(chat, monkeypatch):
    connection = await chat(["Hi."])
    await connection.ask("one")

    async def refuse(self, *args, **more):
        raise NotWritten("the session cannot be saved (No space left on device)")

    monkeypatch.setattr(CurrentSession, "append", refuse)
    await connection.send("prompt", text="two")

    assert "No space left" in (await connection.until("error"))["message"]
    assert await connection.next() == {"type": "turn_end"}
    await connection.until("sessions")


async def test_a_branch_that_cannot_be_written_leaves_the_page_as_it_was(chat, monkeypatch):
    connection = await chat(["Hi."])
    await connection.ask("one")

    async def refuse(self, *args, **more):
        raise NotWritten("the session cannot be saved (No space left on device)")

    monkeypatch.setattr(CurrentSession, "append_below", refuse)
    await connection.send("regenerate")

    assert "No space left" in (await connection.until("error"))["message"]
    assert await connection.next() == {"type": "turn_end"}
    question, answer = (await connection.next())["items"]
    assert (question["text"], answer["parts"][0]["text"]) == ("one", "Hi.")
    await connection.until("sessions")


async def test_a_fault_before_the_model_is_asked_ends_the_turn(chat, monkeypatch, caplog):
    async def crash(self, *, coding):
        raise RuntimeError("a bug")

    connection = await chat()
    monkeypatch.setattr(Equipment, "toolbox", crash)
    await connection.send("prompt", text="one")

    assert "server's log" in (await connection.until("error"))["message"]
    assert (await connection.next())["type"] == "turn_end"
    assert "RuntimeError: a bug" in caplog.text


async def test_an_answer_is_stopped_while_it_waits_for_its_tools(chat, monkeypatch):
    begun = asyncio.Event()

    async def hang(self, *, coding):
        begun.set()
        await asyncio.Event().wait()

    connection = await chat()
    monkeypatch.setattr(Equipment, "toolbox", hang)
    await connection.send("prompt", text="one")
    await asyncio.wait_for(begun.wait(), 10)

    await connection.send("abort")

    assert await connection.until("turn_end") == {"type": "turn_end"}


async def test_a_list_that_cannot_be_read_ends_no_answer(chat, monkeypatch, caplog):
    def crash():
        raise RuntimeError("no database")

    connection = await chat(["One.", "Two."])
    monkeypatch.setattr(index, "session_items", crash)
    await connection.send("prompt", text="one")
    await connection.until("turn_end")

    await connection.send("prompt", text="two")

    await connection.until("turn_end")
    assert text_of(connection.frames) == "One.Two."
    assert "error" not in kinds(connection.frames)
    assert "no database" in caplog.text
    await connection.send("list_sessions")
    assert "list_sessions failed" in (await connection.until("error"))["message"]


async def test_a_chat_whose_file_is_gone_makes_place_for_a_new_one(chat, chat_store):
    connection = await chat(["One.", "Two."])
    path = (await connection.ask("one"))[-1]["activePath"]
    chat_store.delete(path)
    connection.frames.clear()

    await connection.send("prompt", text="two")

    told = await connection.until("sessions")
    assert kinds(connection.frames)[:2] == ["error", "turn_end"]
    assert connection.frames[0]["message"] == "session not found"
    assert told == {"type": "sessions", "items": []}
    assert text_of(await connection.ask("three")) == "Two."
    assert len(chat_store.files()) == 1


@pytest.mark.parametrize("kind", ["prompt", "edit_resend"])
async def test_a_chat_whose_file_cannot_be_opened_now_stays(chat, monkeypatch, kind):
    connection = await chat(["One.", "Two."])
    await connection.ask("one")

    def refuse(*args, **more):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(session_file.os, "open", refuse)
        patch.setattr(Path, "open", refuse)
        await connection.send(kind, text="two")
        assert "Too many open files" in (await connection.until("error"))["message"]
        if kind == "edit_resend":
            items = (await connection.until("history"))["items"]
            assert [item["role"] for item in items] == ["user", "assistant"]
        else:
            await connection.until("turn_end")
            await connection.until("sessions")

    assert text_of(await connection.ask("two")) == "Two."
    assert "One." in connection.prompts[-1]


async def test_a_branch_of_a_chat_that_is_gone_is_refused_once(chat, chat_store):
    connection = await chat(["One.", "Two."])
    chat_store.delete((await connection.ask("one"))[-1]["activePath"])

    await connection.send("regenerate")

    assert (await connection.until("error"))["message"] == "session not found"
    assert (await connection.until("history"))["items"] == []
    await connection.until("sessions")
    assert text_of(await connection.ask("two")) == "Two."


async def test_halves_of_characters_from_a_model_or_a_tool_break_nothing(chat, chat_store):
    async def look(args, update):
        return ToolResult(f"\udcff.txt for {args['x']}")

    half = '<tool_call>\n{"name": "look", "arguments": {"x": "\\ud83d"}}\n</tool_call>'
    connection = await chat([half, "Done."], tools=[tool("look", look)])

    frames = await connection.ask("Look")

    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert end["result"] == "\ufffd.txt for \ufffd"
    assert text_of(frames) == "Done."


async def test_a_session_of_another_program_with_half_a_character_can_be_listed_and_opened(
    chat, chat_store
):
    message = r'{"role":"user","content":"hi \ud83d"}'
    chat_store.root.mkdir()
    (chat_store.root / "theirs.jsonl").write_text(
        '{"type":"session","id":"a"}\n{"type":"message","id":"1","message":' + message + "}\n"
    )
    connection = await chat(["Hi."])

    await connection.send("list_sessions")
    assert (await connection.until("sessions"))["items"][0]["title"] == "hi \ufffd"
    await connection.send("open_session", path="theirs.jsonl")
    assert (await connection.until("history"))["items"][0]["text"] == "hi \ufffd"


async def test_a_frame_that_cannot_be_written_is_told_of_and_the_next_one_is_sent(
    chat, monkeypatch, caplog
):
    def write(frame):
        if frame.type == "siblings":
            raise RuntimeError("a bug")
        return write_frame(frame)

    connection = await chat(["Hi."])
    monkeypatch.setattr(consumer, "write_frame", write)

    frames = await connection.ask("Hello")

    assert "siblings cannot be told" in next(f for f in frames if f["type"] == "error")["message"]
    assert text_of(frames) == "Hi."
    assert "a siblings frame cannot be written" in caplog.text
