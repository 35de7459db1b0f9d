"""The chat's model looks things up in the memory, once there is one."""

from memory.tools.skill import HINT
from tests.plugins.chat import call, text_of

ADA = "# Ada Lovelace\n\n```info\naliases: Ada\n```\n\nThe user's cat, grey, born in 2019.\n"


async def test_a_question_is_answered_from_an_article(chat, put):
    put("Ada_Lovelace", ADA)
    connection = await chat(
        [call("memory_resolve", surface="ada"), call("memory_read", stem="Ada_Lovelace"), "Grey."]
    )

    frames = await connection.ask("What colour is Ada?")

    results = [(f["ok"], f["result"]) for f in frames if f["type"] == "tool_end"]
    assert results == [(True, "Ada_Lovelace: The user's cat, grey, born in 2019."), (True, ADA)]
    assert text_of(frames) == "Grey."
    assert "The user's cat, grey" in connection.prompts[2]


async def test_looking_into_the_memory_needs_no_approval_and_failures_help(chat, vault):
    connection = await chat([call("memory_read", stem="Nobody"), "I do not know."])

    frames = await connection.ask("Who is nobody?")

    assert "tool_approval_request" not in {frame["type"] for frame in frames}
    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert end["ok"] is False
    assert "memory_resolve" in end["result"]


async def test_the_instructions_speak_of_the_memory_only_where_there_is_one(chat, no_vault):
    connection = await chat(["Hello"])
    await connection.ask("Hi")
    assert HINT not in connection.prompts[0]
    assert "memory_" not in connection.prompts[0]

    (no_vault.root / "articles").mkdir(parents=True)
    await connection.ask("Hi again")

    assert HINT in connection.prompts[1]
    assert "memory_resolve" in connection.prompts[1]


async def test_a_memory_that_goes_during_a_chat_is_told_to_the_model(chat, vault):
    from sessions.tools.memory import memory_tools

    tools = {tool.name: tool for tool in await memory_tools()}
    (vault.root / "articles").rmdir()
    connection = await chat([call("memory_list"), "There is none."], tools=list(tools.values()))

    frames = await connection.ask("What do you know?")

    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert (end["ok"], end["result"]) == (False, "no memory vault yet")
