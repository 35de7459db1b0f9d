"""Asks the user before a gated tool runs, and waits for the word."""

import asyncio
from dataclasses import dataclass
from typing import Any

from hub.errors import HubError
from hub.tool_approvals import ToolApprovals
from sessions.conversation import Send
from sessions.frames.client import Approval
from sessions.frames.server import ToolApprovalRequest
from sessions.frames.server import ToolApprovals as ApprovalsFrame
from sessions.frames.values import ToolPart

PATIENCE_SECONDS = 120.0
DENIED = "Denied by user."
UNANSWERED = "Denied: the user did not answer within two minutes."


@dataclass(frozen=True, slots=True)
class Decision:
    """args: what to call with. reason: why it was denied."""

    allowed: bool
    args: dict[str, Any]
    reason: str = ""


class Approvals:
    """The open questions of one connection.

    Nobody answers when the connection is gone: then the waiting task is cancelled.
    """

    def __init__(
        self, saved: ToolApprovals, send: Send, *, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._saved = saved
        self._send = send
        self._patience = patience
        self._open: dict[str, asyncio.Future[Approval]] = {}

    async def ask(self, call: ToolPart) -> Decision:
        """Return what the user decides; at once for a tool that is always allowed."""
        if call.tool in await asyncio.to_thread(self._saved.allowed):
            return Decision(True, call.args)
        answer: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
        self._open[call.call_id] = answer
        try:
            await self._send(
                ToolApprovalRequest(call_id=call.call_id, tool=call.tool, args=call.args)
            )
            approval = await asyncio.wait_for(answer, self._patience)
        except TimeoutError:
            return Decision(False, call.args, UNANSWERED)
        finally:
            self._open.pop(call.call_id, None)
        if approval.decision == "deny":
            return Decision(False, call.args, DENIED)
        if approval.always_allow:
            await self._allow(call.tool)
        edited = approval.edited_args
        return Decision(True, call.args if edited is None else edited)

    def answer(self, approval: Approval) -> bool:
        """Hand the user's word to who waits for it; False if nobody does."""
        waiting = self._open.get(approval.call_id)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(approval)
        return True

    async def _allow(self, tool: str) -> None:
        try:
            await asyncio.to_thread(self._saved.allow, tool)
        except HubError:
            return  # Allowed this once; it will be asked again.
        allowed = await asyncio.to_thread(self._saved.allowed)
        await self._send(ApprovalsFrame(always_allow=allowed))
