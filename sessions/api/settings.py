"""The MCP servers that the user has listed, and how they do."""

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.answers import success
from sessions.mcp.servers import McpServers

router = Router(tags=["Settings"])


@router.api_operation(["GET", "HEAD"], "/api/settings/mcp")
async def mcp_servers(request: HttpRequest) -> JsonResponse:
    servers: McpServers = settings.MCP_SERVERS
    rows = [
        {
            "name": connection.server.name,
            "state": connection.state,
            "problem": connection.problem,
            "tools": [tool.name for tool in connection.tools],
        }
        for connection in await servers.connections()
    ]
    return success(path=servers.path.name, servers=rows)
