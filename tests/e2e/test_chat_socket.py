"""The chat over a real WebSocket of the real server, with the scripted and the starter model."""

import asyncio
import json
import os
import shutil

import pytest
import websockets

from tests.plugins.server import spawn, stop

pytestmark = pytest.mark.slow

PATIENCE = 60  # seconds; a real model on a busy machine


def socket_of(url, **headers):
    return websockets.connect(
        url.replace("http://", "ws://") + "/ws/chat",
        additional_headers=headers,
        max_size=None,
        proxy=None,
    )


async def until(socket, kind):
    frames = []
    while not frames or frames[-1]["type"] != kind:
        frames.append(json.loads(await asyncio.wait_for(socket.recv(), PATIENCE)))
    return frames


async def ask(socket, text):
    await socket.send(json.dumps({"type": "prompt", "text": text}))
    frames = await until(socket, "turn_end")
    return "".join(f["delta"] for f in frames if f["type"] == "text_delta"), frames[-1]


async def test_two_turns_are_answered_and_a_search_finds_them(server):
    async with socket_of(server) as socket:
        await until(socket, "coding_tools")
        text, end = await ask(socket, "the word zugzwang")
        again, _ = await ask(socket, "and again")

    assert text.endswith("You said: the word zugzwang")
    assert again.endswith("You said: and again")
    assert end["lane"] in ("serial", "batched")


async def test_broken_frames_in_numbers_leave_the_socket_open(server):
    hostile = ["", "{", "null", "1", '"x"', "[]", "{}", '{"type":1}', '{"type":"prompt","text":[]}']
    async with socket_of(server) as socket:
        await until(socket, "coding_tools")
        for number in range(500):
            await socket.send(hostile[number % len(hostile)] + " " * (number % 7))
            assert json.loads(await asyncio.wait_for(socket.recv(), 10))["type"] == "error"
        assert (await ask(socket, "alive?"))[0].endswith("alive?")


@pytest.mark.parametrize(
    ("origin", "accepted"),
    [
        ("https://evil.example", False),
        ("null", False),
        ("http://localhost.evil.example", False),
        ("http://127.0.0.1:9999", False),
        ("SELF", True),
        (None, True),
    ],
)
async def test_pages_of_other_sites_get_no_socket(server, origin, accepted):
    """Public case se-02."""
    headers = {} if origin is None else {"Origin": server if origin == "SELF" else origin}

    if accepted:
        async with socket_of(server, **headers) as socket:
            await until(socket, "ready")
    else:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with socket_of(server, **headers):
                pass
        assert refused.value.response.status_code == 403


@pytest.mark.starter
async def test_the_starter_model_holds_a_conversation(start_server, starter_model):
    server = start_server("--model", str(starter_model), "--temperature", "0")
    async with socket_of(server) as socket:
        ready = (await until(socket, "ready"))[-1]
        await until(socket, "coding_tools")
        first, end = await ask(socket, "What is the capital of France? Answer in one sentence.")
        _, second = await ask(socket, "Thank you. Say it once more.")

    assert "SmolLM2" in ready["model"]
    assert "Paris" in first
    assert end["usage"]["completion_tokens"] > 3
    # What was said before is not computed again.
    assert second["usage"]["cached_tokens"] > 0.8 * end["usage"]["prompt_tokens"]


def spell(name, **args):
    """What the scripted model takes for a call when it is said to it."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': args})}\n</tool_call>"


async def say(socket, kind, **members):
    await socket.send(json.dumps({"type": kind, **members}))


async def allow(socket, **members):
    """Wait for a question and answer it; returns the frames up to it, which is the last."""
    frames = await until(socket, "tool_approval_request")
    await say(socket, "approval", callId=frames[-1]["callId"], decision="allow", **members)
    return frames


def of(frames, kind):
    return [frame for frame in frames if frame["type"] == kind]


@pytest.fixture(scope="module")
def agent_server(tmp_path_factory):
    """A server with a workspace of its own: its URL and that folder."""
    folder = tmp_path_factory.mktemp("agent")
    workspace = folder / "workspace"
    process = spawn(folder, "--scripted", env={"MLXSITE_WORKSPACE": str(workspace)})
    process.wait_until_ready()
    yield process.url, workspace
    stop(process)


@pytest.fixture
def workspace(agent_server):
    """The folder of the agent's files, empty."""
    _, folder = agent_server
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


@pytest.fixture
async def agent(agent_server, workspace):
    """A chat with the tools that read and change files, all of them in `workspace`."""
    async with socket_of(agent_server[0]) as socket:
        await until(socket, "coding_tools")
        await say(socket, "set_coding_tools", enabled=True)
        await say(socket, "new_session")
        while not (await until(socket, "coding_tools"))[-1]["active"]:
            pass
        await until(socket, "sessions")
        yield socket


async def test_an_agent_reads_edits_runs_and_answers(agent, workspace):
    (workspace / "hello.sh").write_text("echo helo\n")
    edit = spell("edit", path="hello.sh", old_text="helo", new_text="hi")
    calls = [spell("read", path="hello.sh"), edit, spell("bash", command="bash hello.sh")]
    await say(agent, "prompt", text="\n".join(calls))

    frames = await allow(agent)
    frames += await allow(agent, editedArgs={"command": "bash hello.sh; echo done"})
    frames += await until(agent, "turn_end")

    assert [frame["tool"] for frame in of(frames, "tool_start")] == ["read", "edit", "bash"]
    results = [(frame["ok"], frame["result"]) for frame in of(frames, "tool_end")]
    assert results[0] == (True, "echo helo\n")
    assert "-echo helo\n+echo hi\n" in results[1][1]
    assert results[2] == (True, "hi\ndone")
    assert "".join(frame["chunk"] for frame in of(frames, "tool_update")) == "hi\ndone\n"
    told = "".join(frame["delta"] for frame in of(frames, "text_delta"))
    assert "The tool said:" in told
    assert told.endswith("hi\ndone")
    assert (workspace / "hello.sh").read_text() == "echo hi\n"


async def test_a_command_whose_time_is_up_is_told_of_and_the_answer_goes_on(agent):
    await say(agent, "prompt", text=spell("bash", command="echo begun; sleep 60", timeout=1))
    await allow(agent)

    frames = await until(agent, "turn_end")

    (end,) = of(frames, "tool_end")
    assert (end["ok"], end["result"]) == (False, "begun\n[stopped after 1 s]")
    assert "stopped after 1 s" in "".join(f["delta"] for f in of(frames, "text_delta"))


async def test_a_denied_call_is_not_made(agent, workspace):
    await say(agent, "prompt", text=spell("write", path="a.txt", content="x"))
    question = (await until(agent, "tool_approval_request"))[-1]
    await say(agent, "approval", callId=question["callId"], decision="deny")

    frames = await until(agent, "turn_end")

    assert of(frames, "tool_end")[0]["result"] == "Denied by user."
    assert list(workspace.iterdir()) == []


async def test_stopping_ends_the_command_that_runs(agent, workspace):
    await say(agent, "prompt", text=spell("bash", command="echo $$ > pid; echo begun; sleep 60"))
    await allow(agent)
    await until(agent, "tool_update")

    await say(agent, "abort")

    frames = await until(agent, "turn_end")
    assert of(frames, "tool_end")[0]["result"] == "Aborted by user."
    with pytest.raises(ProcessLookupError):
        os.kill(int((workspace / "pid").read_text()), 0)
    text, _ = await ask(agent, "still there?")
    assert text.endswith("still there?")


async def test_messages_that_come_meanwhile_are_answered_in_turn(agent):
    await say(agent, "prompt", text=spell("bash", command="echo first"))
    question = (await until(agent, "tool_approval_request"))[-1]
    for text in ("second", "third"):
        await say(agent, "prompt", text=text)
    queues = of(await until(agent, "queue_update"), "queue_update")
    queues += of(await until(agent, "queue_update"), "queue_update")
    assert [queue["followUp"] for queue in queues] == [["second"], ["second", "third"]]

    await say(agent, "approval", callId=question["callId"], decision="allow")

    texts = []
    for _ in range(3):
        frames = await until(agent, "turn_end")
        texts.append("".join(frame["delta"] for frame in of(frames, "text_delta")))
    assert [text.rpartition(": ")[2] for text in texts] == ["first", "second", "third"]


async def test_what_a_command_floods_does_not_flood_the_socket(agent):
    await say(agent, "prompt", text=spell("bash", command="yes", timeout=2))
    await allow(agent)

    frames = await until(agent, "turn_end")

    assert sum(len(frame["chunk"]) for frame in of(frames, "tool_update")) < 300_000
    assert "stopped after 2 s" in of(frames, "tool_end")[0]["result"]
