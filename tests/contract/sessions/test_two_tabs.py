"""One session in two tabs: they take turns, and nothing that was said goes out of sight."""

import asyncio

import pytest

from sessions.tools.base import ToolResult
from tests.plugins.chat import call, kinds, text_of, tool


@pytest.fixture
async def tabs(chat):
    """Two tabs with one session, in the first of which an answer waits; and what lets it go on."""
    release = asyncio.Event()

    async def wait(args, update):
        await release.wait()
        return ToolResult("ok")

    answers = ["Hi.", call("wait"), "Done.", "After."]
    tools = [tool("wait", wait)]
    one, other = await chat(answers, tools=tools), await chat(answers, tools=tools)
    path = (await one.ask("first"))[-1]["activePath"]
    await other.send("open_session", path=path)
    await other.until("sessions")
    other.frames.clear()
    await one.send("prompt", text="second")
    await one.until("tool_start")
    return one, other, release


async def shown(connection, path):
    await connection.send("open_session", path=path)
    items = (await connection.until("history"))["items"]
    await connection.until("sessions")
    return [item.get("text") or item["parts"][-1]["text"] for item in items]


async def test_a_tab_is_refused_while_another_answers_and_nothing_is_lost(tabs, chat_store):
    one, other, release = tabs

    await other.send("prompt", text="third")

    assert "in another tab" in (await other.until("error"))["message"]
    assert await other.next() == {"type": "turn_end"}
    path = (await other.until("sessions"))["activePath"]
    release.set()
    await one.until("turn_end")
    await one.until("sessions")
    assert text_of(await other.ask("third")) == "After."
    assert await shown(one, path) == ["first", "Hi.", "second", "Done.", "third", "After."]


@pytest.mark.parametrize(
    "frame", [{"kind": "regenerate"}, {"kind": "edit_resend", "text": "other words"}]
)
async def test_no_branch_is_begun_while_another_tab_answers(tabs, frame):
    one, other, release = tabs

    await other.send(**frame)

    assert "in another tab" in (await other.until("error"))["message"]
    await other.until("turn_end")
    release.set()
    await one.until("turn_end")


@pytest.mark.parametrize(
    "frame", [{"kind": "regenerate"}, {"kind": "edit_resend", "text": "other words"}]
)
async def test_a_page_whose_branch_is_refused_gets_back_what_it_let_go_of(tabs, frame):
    one, other, release = tabs

    await other.send(**frame)

    await other.until("turn_end")
    told = [await other.next() for _ in range(3)]
    assert [frame["type"] for frame in told] == ["history", "siblings", "context"]
    said = [item.get("text") or item["parts"][0].get("text") for item in told[0]["items"]]
    assert said[:3] == ["first", "Hi.", "second"]
    assert told[1]["entryId"] == told[0]["items"][2]["entryId"]
    release.set()
    await one.until("turn_end")


async def test_nothing_is_deleted_while_another_tab_answers(tabs, chat_store):
    one, other, release = tabs
    (file,) = chat_store.files()
    question = next(entry for entry in file.read() if entry.role == "user")

    for kind in ("delete_message", "switch_sibling"):
        await other.send(kind, entryId=question.id)
        assert "in another tab" in (await other.until("error"))["message"]
    assert "turn_end" not in kinds(other.frames)
    release.set()
    await one.until("turn_end")


@pytest.mark.parametrize("is_open", [True, False])
async def test_no_chat_is_removed_while_another_tab_answers_in_it(tabs, chat_store, is_open):
    one, other, release = tabs
    (file,) = chat_store.files()
    if not is_open:
        await other.send("new_session")
        await other.until("sessions")
    other.frames.clear()

    await other.send("delete_session", path=file.name)

    assert "in another tab" in (await other.next())["message"]
    assert file.path.exists()
    release.set()
    await one.until("turn_end")
    await one.until("sessions")
    await other.send("delete_session", path=file.name)
    await other.until("sessions", items=[])
    assert chat_store.files() == []


async def test_a_chat_is_removed_in_the_tab_that_answers_in_it(tabs, chat_store):
    one, _, _ = tabs
    (file,) = chat_store.files()

    await one.send("delete_session", path=file.name)

    await one.until("sessions", items=[])
    assert chat_store.files() == []


async def test_a_name_given_during_an_answer_hides_nothing_of_it(tabs):
    one, other, release = tabs
    await other.send("list_sessions")
    path = (await other.until("sessions"))["activePath"]

    await other.send("rename_session", path=path, name="A name")
    assert (await other.until("sessions"))["items"][0]["title"] == "A name"
    release.set()
    await one.until("turn_end")
    await one.until("sessions")

    assert await shown(other, path) == ["first", "Hi.", "second", "Done."]


async def test_a_session_is_free_again_when_its_answer_was_stopped(tabs):
    one, other, _ = tabs
    await one.send("abort")
    await one.until("turn_end")

    assert text_of(await other.ask("third")) == "Done."


async def test_a_chat_is_held_from_its_first_message_on(chat, chat_store):
    release = asyncio.Event()

    async def wait(args, update):
        await release.wait()
        return ToolResult("ok")

    answers, tools = [call("wait"), "Done."], [tool("wait", wait)]
    one, other = await chat(answers, tools=tools), await chat(answers, tools=tools)
    await one.send("prompt", text="first")
    path = (await one.until("sessions"))["activePath"]
    await one.until("tool_start")
    await other.send("open_session", path=path)
    await other.until("sessions")

    await other.send("prompt", text="second")

    assert "in another tab" in (await other.until("error"))["message"]
    release.set()
    await one.until("turn_end")


async def test_two_tabs_write_to_one_session_without_losing_anything(chat, chat_store):
    one, other = await chat(["Hi."]), await chat(["Hi."])
    path = (await one.ask("from one"))[-1]["activePath"]
    await other.send("open_session", path=path)
    await other.until("history")

    await other.ask("from the other")
    await one.ask("from one again")

    (file,) = chat_store.files()
    said = [e.message["content"] for e in file.read() if e.role == "user"]
    assert said == ["from one", "from the other", "from one again"]
    assert "from the other" in one.prompts[-1]
