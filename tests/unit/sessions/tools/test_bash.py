"""`bash`: output, limits, and that nothing it started outlives it."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from sessions.tools import bash, process
from sessions.tools.base import ToolFailed
from sessions.tools.bash import bash_tool
from sessions.tools.workspace import Workspace


@pytest.fixture
def tool(tmp_path):
    return bash_tool(Workspace(tmp_path / "workspace"))


async def ignore(chunk):
    pass


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def test_it_is_asked_about(tool):
    assert tool.gated


async def test_both_streams_are_shown_as_they_come(tool):
    chunks = []

    async def keep(chunk):
        chunks.append(chunk)

    result = await tool.run({"command": "echo one; echo two >&2"}, keep)

    assert (result.text, result.ok) == ("one\ntwo", True)
    assert "".join(chunks) == "one\ntwo\n"


async def test_it_runs_in_the_workspace(tool, tmp_path):
    result = await tool.run({"command": "pwd"}, ignore)

    assert result.text == str(tmp_path / "workspace")


async def test_a_failure_tells_its_status(tool):
    result = await tool.run({"command": "echo no; exit 3"}, ignore)

    assert (result.text, result.ok) == ("no\n[exit status 3]", False)


async def test_only_the_end_of_a_long_output_is_kept(tool, monkeypatch):
    monkeypatch.setattr(bash, "MOST_OUTPUT", 10)

    result = await tool.run({"command": "printf 'x%.0s' {1..5000}; printf end"}, ignore)

    assert result.text == "[4,993 bytes before this are left out]\nxxxxxxxend"


async def test_keys_of_the_server_are_not_in_its_environment(tool, monkeypatch):
    monkeypatch.setenv("MLXSITE_API_KEYS", "hidden-1")
    monkeypatch.setenv("HF_TOKEN", "hidden-2")
    monkeypatch.setenv("SHOWN", "shown")

    result = await tool.run({"command": "env"}, ignore)

    assert "hidden" not in result.text
    assert "SHOWN=shown" in result.text


async def test_its_time_is_limited_and_its_children_go_with_it(tool, tmp_path):
    command = "sleep 60 & echo $! > child; wait"

    result = await tool.run({"command": command, "timeout": 1}, ignore)

    assert not result.ok
    assert "[stopped after 1 s]" in result.text
    child = int((tmp_path / "workspace" / "child").read_text())
    await until(lambda: not is_running(child))


async def test_a_child_left_behind_in_the_background_is_ended(tool, tmp_path):
    await tool.run({"command": "sleep 60 > /dev/null 2>&1 & echo $! > child"}, ignore)

    child = int((tmp_path / "workspace" / "child").read_text())
    await until(lambda: not is_running(child))


async def test_cancelling_kills_the_whole_group_even_if_it_will_not_listen(tool, tmp_path):
    command = "trap '' TERM; echo $$ > self; while true; do sleep 0.1; done"
    running = asyncio.create_task(tool.run({"command": command}, ignore))
    self_pid = tmp_path / "workspace" / "self"
    await until(lambda: self_pid.exists() and self_pid.read_text().strip())

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await until(lambda: not is_running(int(self_pid.read_text())))


@pytest.mark.parametrize("timeout", [0, 601, "ten", True])
async def test_a_timeout_out_of_range_is_refused(tool, timeout):
    with pytest.raises(ToolFailed, match="from 1 to 600"):
        await tool.run({"command": "true", "timeout": timeout}, ignore)


async def test_a_flood_is_not_handed_on(tool):
    told = []

    async def keep(chunk):
        told.append(chunk)

    result = await tool.run({"command": "yes | head -c 20000000; echo end"}, keep)

    assert result.text.endswith("y\nend")
    assert sum(map(len, told)) < 300_000


@pytest.mark.skipif(sys.platform != "linux", reason="environments are shown by Linux alone")
async def test_what_leaves_the_group_is_ended_too(tool, tmp_path):
    child = tmp_path / "workspace" / "child"
    start = "setsid bash -c 'echo $$ > child; exec sleep 60' > /dev/null 2>&1 &"
    command = f"{start} while [ ! -s child ]; do sleep 0.01; done"

    await tool.run({"command": command, "timeout": 20}, ignore)

    await until(lambda: not is_running(int(child.read_text())))


async def test_a_flood_is_ended_at_once(tool, monkeypatch):
    monkeypatch.setattr(process, "_GRACE_SECONDS", 60)  # that nobody has to wait for

    result = await asyncio.wait_for(tool.run({"command": "yes", "timeout": 1}, ignore), 30)

    assert result.text.endswith("[stopped after 1 s]")


async def test_a_child_that_holds_its_output_does_not_hold_it_up(tool):
    command = "sleep 600 & echo started"

    result = await asyncio.wait_for(tool.run({"command": command, "timeout": 60}, ignore), 30)

    assert (result.text, result.ok) == ("started", True)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are shown by Linux alone")
async def test_a_child_that_gets_away_with_its_output_leaves_nothing_open_here(tool, tmp_path):
    def pipes():
        found = set()
        for descriptor in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # the one that lists them
                found.add(str(descriptor.readlink()))
        return {name for name in found if name.startswith("pipe:")}

    child = tmp_path / "workspace" / "child"
    start = "env -i setsid bash -c 'echo $$ > child; exec sleep 600' &"
    before = pipes()

    await tool.run({"command": f"{start} while [ ! -s child ]; do sleep 0.01; done"}, ignore)

    try:
        assert is_running(int(child.read_text()))
        await until(lambda: not pipes() - before)
    finally:
        os.kill(int(child.read_text()), signal.SIGKILL)
