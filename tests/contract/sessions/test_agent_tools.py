"""The agent with tools of its own: a whole piece of work, from reading to answering."""

import json

import pytest

from sessions.mcp.servers import McpServers
from sessions.tools.base import ToolResult
from tests.plugins.chat import call, kinds, text_of, tool


@pytest.fixture
def workspace(tmp_path, settings):
    settings.WORKSPACE = tmp_path / "workspace"
    settings.MCP_SERVERS = McpServers(tmp_path / "mcp.json")
    settings.WORKSPACE.mkdir()
    return settings.WORKSPACE


async def with_coding_tools(chat, answers):
    connection = await chat(answers)
    await connection.send("set_coding_tools", enabled=True)
    assert (await connection.until("coding_tools")) == {
        "type": "coding_tools",
        "active": False,
        "pending": True,
    }
    await connection.send("new_session")
    assert (await connection.until("coding_tools"))["active"] is True
    await connection.until("sessions")
    connection.frames.clear()
    return connection


async def allow(connection):
    request = await connection.until("tool_approval_request")
    await connection.send("approval", callId=request["callId"], decision="allow")
    return request


async def test_it_reads_edits_after_asking_runs_a_command_and_answers(chat, workspace):
    (workspace / "hello.py").write_text("print('helo')\n")
    answers = [
        call("read", path="hello.py"),
        call("edit", path="hello.py", old_text="helo", new_text="hello"),
        call("bash", command="python3 hello.py"),
        "It prints hello now.",
    ]
    connection = await with_coding_tools(chat, answers)

    await connection.send("prompt", text="Fix the greeting")
    assert (await allow(connection))["tool"] == "edit"
    assert (await allow(connection))["tool"] == "bash"
    await connection.until("turn_end")

    frames = connection.frames
    results = [frame["result"] for frame in frames if frame["type"] == "tool_end"]
    assert results[0] == "print('helo')\n"
    assert "-print('helo')\n+print('hello')\n" in results[1]
    assert results[2] == "hello"
    assert text_of(frames) == "It prints hello now."
    assert "".join(f["chunk"] for f in frames if f["type"] == "tool_update") == "hello\n"
    assert kinds(frames)[-1] == "turn_end"


async def test_tools_that_change_files_are_not_offered_unless_switched_on(chat, workspace):
    connection = await chat(["Hi."])

    await connection.ask("hi")

    offered = connection.prompts[0].partition("<tools>")[2].partition("\n<")[0]
    for name in ("read", "web_search", "navigate_app"):
        assert f'"name": "{name}"' in offered
    for name in ("bash", "edit", "write", "grep", "find", "ls"):
        assert f'"name": "{name}"' not in offered


async def test_switching_them_on_takes_effect_with_the_next_session(chat, workspace):
    connection = await chat(["One.", "Two."])
    await connection.send("set_coding_tools", enabled=True)
    await connection.ask("one")

    await connection.send("new_session")
    await connection.until("sessions")
    await connection.ask("two")

    assert '"name": "bash"' not in connection.prompts[0]
    assert '"name": "bash"' in connection.prompts[1]


async def test_stopping_kills_the_command_that_runs(chat, workspace):
    connection = await with_coding_tools(chat, [call("bash", command="sleep 60"), "never"])
    await connection.send("prompt", text="Wait")
    await allow(connection)
    await connection.until("tool_start")

    await connection.send("abort")

    end = await connection.until("tool_end")
    assert (end["ok"], end["result"]) == (False, "Aborted by user.")


async def test_the_app_is_looked_at_led_and_pointed_at(chat, workspace):
    element = {"ref": "e1", "tag": "button", "label": "Inspect", "kind": "interactive"}
    snapshot = {
        "route": "quantize",
        "capturedAt": "2026-01-01T00:00:00Z",
        "elements": [{**element, "selector": "#inspect"}],
    }
    answers = [
        call("get_current_app_context"),
        call("navigate_app", route="finetune"),
        call("spotlight_ui", ref="e1", message="Here"),
        call("navigate_app", route="elsewhere"),
        "Done.",
    ]
    connection = await chat(answers)
    await connection.send("context", context={"route": "quantize", "snapshot": snapshot})

    frames = await connection.ask("Show me")

    results = [frame for frame in frames if frame["type"] == "tool_end"]
    seen = json.loads(results[0]["result"])["snapshot"]["elements"]
    told = {"ref": "e1", "label": "Inspect", "kind": "interactive", "selector": "#inspect"}
    assert seen == [told]
    assert {"type": "ui_navigate", "route": "finetune"} in frames
    assert {"type": "ui_spotlight", "ref": "e1", "message": "Here"} in frames
    assert [result["ok"] for result in results] == [True, True, True, False]
    assert "There is no page 'elsewhere'" in results[3]["result"]


async def test_one_long_piece_of_work_is_put_in_short_on_the_way(chat, chat_store):
    async def look(args, update):
        return ToolResult(str(args["n"]) * 700)

    limits = {"max_context": 5000, "context_window": 5000}
    answers = [*[call("look", n=n) for n in range(1, 7)], "All done."]

    def answer(prompt):
        if "Put the following conversation in short" in prompt:
            return "They looked."
        return answers.pop(0)

    connection = await chat(answer, tools=[tool("look", look)], **limits)

    frames = await connection.ask("Look at everything")

    assert "error" not in kinds(frames)
    assert text_of(frames) == "All done."
    assert [f["ok"] for f in frames if f["type"] == "tool_end"] == [True] * 6
    last = connection.prompts[-1]
    assert "They looked." in last
    assert "Look at everything" in last
    assert "6" * 700 in last
    assert "1" * 20 not in last


async def test_a_result_leaves_room_in_a_small_window(chat):
    async def look(args, update):
        return ToolResult("x" * 5000 + "y" * 4000)

    limits = {"max_context": 8000, "context_window": 8000}
    connection = await chat([call("look"), "Done."], tools=[tool("look", look)], **limits)

    await connection.send("prompt", text="Look")

    result = (await connection.until("tool_end"))["result"]
    assert result == "x" * 4000 + "\n[1,000 characters are left out here]\n" + "y" * 4000
