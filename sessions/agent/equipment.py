"""What the agent of one connection has at hand: its tools, and what it is told of them."""

from django.conf import settings

from sessions.agent.app_context import ROUTES
from sessions.agent.toolbox import Toolbox
from sessions.conversation import Send
from sessions.frames.values import AppContext
from sessions.mcp.servers import McpServers
from sessions.tools.app import app_tools
from sessions.tools.base import Tool
from sessions.tools.bash import bash_tool
from sessions.tools.edit import edit_tool, write_tool
from sessions.tools.fetching import Fetcher
from sessions.tools.files import find_tool, ls_tool
from sessions.tools.grep import grep_tool
from sessions.tools.memory import hints_of, memory_tools
from sessions.tools.read import read_tool
from sessions.tools.web_fetch import web_fetch_tool
from sessions.tools.web_search import web_search_tool
from sessions.tools.workspace import Workspace


class Equipment:
    """context: where the user is, as the page last told.

    hints: what the instructions say of the tools of the next prompt, beside their descriptions.
    """

    def __init__(self, send: Send) -> None:
        self.context: AppContext | None = None
        self.hints: tuple[str, ...] = ()
        workspace = Workspace(settings.WORKSPACE)
        fetcher = Fetcher()
        self._mcp: McpServers = settings.MCP_SERVERS
        self._always = [
            read_tool(workspace),
            web_search_tool(settings.WEB_SEARCH, fetcher),
            web_fetch_tool(fetcher),
            *app_tools(send, lambda: self.context, ROUTES),
        ]
        self._coding = [
            grep_tool(workspace),
            find_tool(workspace),
            ls_tool(workspace),
            bash_tool(workspace),
            edit_tool(workspace),
            write_tool(workspace),
        ]

    async def toolbox(self, *, coding: bool) -> Toolbox:
        """Return the tools of the next prompt; coding: those that read and change files too."""
        remembering = await memory_tools()
        self.hints = hints_of(remembering)
        tools: list[Tool] = [*self._always, *remembering, *(self._coding if coding else [])]
        return Toolbox([*tools, *await self._mcp.tools()])
