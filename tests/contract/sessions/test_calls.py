"""Calls of tools: how they run and fail, and what keeps a model from going round in circles."""

from sessions.agent import hygiene
from sessions.tools.base import ToolFailed, ToolResult
from tests.plugins.chat import call, text_of, tool


async def test_a_tool_that_only_looks_runs_without_asking(chat):
    connection = await chat([call("look", at="door"), "It is shut."], tools=[tool("look")])

    frames = await connection.ask("Is the door shut?")

    start = next(frame for frame in frames if frame["type"] == "tool_start")
    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert (start["tool"], start["args"]) == ("look", {"at": "door"})
    assert (end["ok"], end["result"]) == (True, 'look got {"at": "door"}')
    assert end["callId"] == start["callId"]
    assert text_of(frames) == "It is shut."
    assert "look got" in connection.prompts[1]


async def test_an_unknown_tool_is_asked_about_and_then_fails_helpfully(chat):
    connection = await chat([call("peek", at="door"), "Sorry."], tools=[tool("look")])
    await connection.send("prompt", text="hi")
    request = await connection.until("tool_approval_request")
    assert (request["tool"], request["args"]) == ("peek", {"at": "door"})

    await connection.send("approval", callId=request["callId"], decision="allow")

    end = await connection.until("tool_end")
    assert (end["ok"], end["result"]) == (False, "There is no tool 'peek'. There are: look")
    await connection.until("turn_end")
    assert text_of(connection.frames) == "Sorry."
    assert "There is no tool 'peek'" in connection.prompts[1]


async def test_a_tool_that_fails_tells_the_model_why(chat):
    async def fail(args, update):
        raise ToolFailed("no such door")

    connection = await chat([call("look"), "Sorry."], tools=[tool("look", fail)])

    frames = await connection.ask("Look")

    end = next(frame for frame in frames if frame["type"] == "tool_end")
    assert (end["ok"], end["result"]) == (False, "no such door")
    assert text_of(frames) == "Sorry."


async def test_a_tool_that_breaks_does_not_break_the_chat(chat, caplog):
    async def crash(args, update):
        raise RuntimeError("a bug")

    connection = await chat([call("look"), "Sorry."], tools=[tool("look", crash)])

    frames = await connection.ask("Look")

    assert text_of(frames) == "Sorry."
    assert "RuntimeError" in next(f["result"] for f in frames if f["type"] == "tool_end")
    assert "the tool look failed" in caplog.text


async def test_what_a_running_tool_prints_is_shown(chat):
    async def talk(args, update):
        await update("one ")
        await update("two")
        return ToolResult("done")

    connection = await chat([call("talk"), "Ok."], tools=[tool("talk", talk)])

    frames = await connection.ask("Talk")

    assert "".join(f["chunk"] for f in frames if f["type"] == "tool_update") == "one two"


async def test_the_same_call_right_after_its_success_is_not_made_again(chat):
    runs = []

    async def count(args, update):
        runs.append(1)
        return ToolResult("forty-two")

    answers = [call("count", of="sheep"), call("count", of="sheep"), "42."]
    connection = await chat(answers, tools=[tool("count", count)])

    frames = await connection.ask("Count")

    second = [frame for frame in frames if frame["type"] == "tool_end"][1]
    assert len(runs) == 1
    assert not second["ok"]
    assert "forty-two" in second["result"]


async def test_after_three_equal_failures_the_model_is_told_to_try_otherwise(chat):
    async def fail(args, update):
        raise ToolFailed("locked")

    connection = await chat([*[call("open")] * 3, "I give up."], tools=[tool("open", fail)])

    frames = await connection.ask("Open")

    results = [frame["result"] for frame in frames if frame["type"] == "tool_end"]
    assert results[:2] == ["locked", "locked"]
    assert results[2].startswith("locked\n\nThis call has failed 3 times")


async def test_after_twenty_five_rounds_no_tool_is_offered_any_more(chat):
    answers = [*[call("look", n=n) for n in range(hygiene.MOST_TURNS)], "Enough."]
    connection = await chat(answers, tools=[tool("look")])

    frames = await connection.ask("Look around")

    ends = [frame["ok"] for frame in frames if frame["type"] == "tool_end"]
    assert ends == [True] * hygiene.MOST_TURNS
    assert text_of(frames) == "Enough."
    assert "<tools>" in connection.prompts[hygiene.MOST_TURNS - 1]
    assert "<tools>" not in connection.prompts[-1]


async def test_a_model_that_goes_on_calling_is_refused_and_then_stopped(chat):
    numbers = iter(range(100))
    connection = await chat(lambda prompt: call("look", n=next(numbers)), tools=[tool("look")])

    frames = await connection.ask("Look around")

    ends = [frame["ok"] for frame in frames if frame["type"] == "tool_end"]
    assert ends == [True] * hygiene.MOST_TURNS + [False] * 3
    assert hygiene.ENDLESS in [frame.get("message") for frame in frames]
    assert text_of(frames) == ""
