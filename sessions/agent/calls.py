"""Carries out what the model calls: asks where it must, runs it, and notes how it went."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from inference import runtime
from sessions.agent.approvals import Approvals
from sessions.agent.current_session import CurrentSession
from sessions.agent.hygiene import LoopGuard
from sessions.agent.toolbox import Toolbox
from sessions.conversation import Send
from sessions.frames.server import ToolEnd, ToolStart, ToolUpdate
from sessions.frames.values import ToolPart
from sessions.store.messages import tool_result
from sessions.surrogates import replace_halves
from sessions.tools.base import Tool, ToolFailed, ToolResult

logger = logging.getLogger(__name__)

ABORTED = "Aborted by user."
LONGEST_RESULT = 50_000  # characters that the model is given of one result
LEFT_OUT = "\n[{count:,} characters are left out here]\n"


class Calls:
    """The calls of one prompt, one after another."""

    def __init__(
        self, session: CurrentSession, toolbox: Toolbox, approvals: Approvals, send: Send
    ) -> None:
        self.guard = LoopGuard()
        self._session = session
        self._toolbox = toolbox
        self._approvals = approvals
        self._send = send

    async def carry_out(self, calls: list[ToolPart]) -> None:
        """Every call gets a result in the session, also when this task is cancelled."""
        for index, call in enumerate(calls):
            made = _Made(call.args)
            result: ToolResult | None = None
            try:
                result = await self._one(call, made)
                await self._end(call, made, result)
            except asyncio.CancelledError:
                if result is None:
                    await self._end(call, made, ToolResult(ABORTED, ok=False))
                else:  # it was being written, and is by now
                    await self._tell_end(call, result)
                for unmade in calls[index + 1 :]:
                    await self._end(unmade, _Made(unmade.args), ToolResult(ABORTED, ok=False))
                raise

    async def _one(self, call: ToolPart, made: "_Made") -> ToolResult:
        refusal = self.guard.refusal(call.tool, call.args)
        if refusal is not None:
            await self._send(ToolStart(call_id=call.call_id, tool=call.tool, args=call.args))
            return ToolResult(refusal, ok=False)
        tool = self._toolbox.get(call.tool)
        if tool is None or tool.gated:
            decision = await self._approvals.ask(call)
            if not decision.allowed:
                return ToolResult(decision.reason, ok=False)
            made.args = decision.args
        await self._send(ToolStart(call_id=call.call_id, tool=call.tool, args=made.args))
        result = await self._run(tool, call, made.args)
        told = _cut(replace_halves(result.text))
        text = self.guard.note(call.tool, (call.args, made.args), told, ok=result.ok)
        return ToolResult(text, result.ok)

    async def _run(self, tool: Tool | None, call: ToolPart, args: dict[str, object]) -> ToolResult:
        if tool is None:
            known = ", ".join(self._toolbox.names())
            return ToolResult(f"There is no tool {call.tool!r}. There are: {known}", ok=False)

        async def update(chunk: str) -> None:
            await self._send(ToolUpdate(call_id=call.call_id, chunk=chunk))

        try:
            return await tool.run(args, update)
        except ToolFailed as failure:
            return ToolResult(str(failure), ok=False)
        except Exception as error:
            logger.exception("the tool %s failed", call.tool)
            return ToolResult(f"The tool failed: {type(error).__name__}", ok=False)

    async def _end(self, call: ToolPart, made: "_Made", result: ToolResult) -> None:
        message = tool_result(call, result.text, ok=result.ok, args=made.args)
        await self._session.add_message(message)
        await self._tell_end(call, result)

    async def _tell_end(self, call: ToolPart, result: ToolResult) -> None:
        await self._send(ToolEnd(call_id=call.call_id, ok=result.ok, result=result.text))


def _cut(text: str) -> str:
    """Leave room for more than this result: a token is some characters of most texts.

    The middle goes: some tools say at the end how it went.
    """
    longest = min(LONGEST_RESULT, runtime.get_service().config.max_context)
    if len(text) <= longest:
        return text
    tail = longest // 2
    mark = LEFT_OUT.format(count=len(text) - longest)
    return text[: longest - tail] + mark + text[len(text) - tail :]


@dataclass(slots=True)
class _Made:
    """A call as it was made: with the model's arguments, until the user puts others there."""

    args: dict[str, Any]
