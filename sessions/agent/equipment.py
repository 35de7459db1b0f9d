"""What the agent of one connection has at hand: its tools, and what it is told of them."""

from sessions.agent.app_context import ROUTES
from sessions.agent.toolbox import Toolbox
from sessions.conversation import Send
from sessions.frames.values import AppContext
from sessions.tools.app import app_tools
from sessions.tools.base import Tool


class Equipment:
    """context: where the user is, as the page last told."""

    def __init__(self, send: Send) -> None:
        self.context: AppContext | None = None
        self.hints: tuple[str, ...] = ()
        self._app = app_tools(send, lambda: self.context, ROUTES)

    async def toolbox(self, *, coding: bool) -> Toolbox:
        """Return the tools of the next prompt; coding: those that read and change files too."""
        tools: list[Tool] = [*self._app]
        return Toolbox(tools)

    async def close(self) -> None:
        """Let go of what the tools hold open."""
