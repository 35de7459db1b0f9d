"""Calls that are stopped: each gets one result in the session, and one end on the page."""

import asyncio
from types import SimpleNamespace

import pytest

from sessions.agent import calls as module
from sessions.agent.calls import ABORTED, Calls
from sessions.agent.toolbox import Toolbox
from sessions.frames.values import ToolPart
from sessions.tools.base import Tool, ToolResult, parameters


class SlowSession:
    """Takes its time to write, and finishes what was begun, as `CurrentSession` does."""

    def __init__(self):
        self.written = {}
        self.writing, self.go_on = asyncio.Event(), asyncio.Event()

    async def add_message(self, message):
        adding = asyncio.create_task(self._add(message))
        try:
            await asyncio.shield(adding)
        except asyncio.CancelledError:
            await adding
            raise

    async def _add(self, message):
        self.writing.set()
        await self.go_on.wait()
        assert message["toolCallId"] not in self.written
        self.written[message["toolCallId"]] = message["content"][0]["text"]


@pytest.fixture
def limits(monkeypatch):
    service = SimpleNamespace(config=SimpleNamespace(max_context=1000))
    monkeypatch.setattr(module, "runtime", SimpleNamespace(get_service=lambda: service))


async def test_stopped_while_a_result_is_written_every_call_still_ends(limits):
    async def run(args, update):
        return ToolResult("ok")

    told = []

    async def send(frame):
        if frame.type == "tool_end":
            told.append((frame.call_id, frame.ok, frame.result))

    session = SlowSession()
    calls = Calls(session, Toolbox([Tool("look", "", parameters(), run)]), None, send)
    made = [ToolPart(call_id=name, tool="look", args={"at": name}) for name in "abc"]
    task = asyncio.create_task(calls.carry_out(made))
    await asyncio.wait_for(session.writing.wait(), 10)

    task.cancel()
    await asyncio.sleep(0)
    session.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 10)

    assert session.written == {"a": "ok", "b": ABORTED, "c": ABORTED}
    assert told == [("a", True, "ok"), ("b", False, ABORTED), ("c", False, ABORTED)]
