"""Which MCP servers the user has listed, in the shape that other clients read as well.

{"mcpServers": {"files": {"command": "npx", "args": ["-y", "..."], "env": {}},
                "remote": {"url": "https://..."}}}
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.state_file import read_object


@dataclass(frozen=True, slots=True)
class McpServer:
    """One server: a command to run, or an address. problem: why the entry cannot be used."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    url: str = ""
    problem: str = ""


def read_servers(path: Path) -> list[McpServer]:
    """Return what the file lists; nothing for a file that is missing or damaged."""
    listed = read_object(path).get("mcpServers")
    if not isinstance(listed, dict):
        return []
    return [_server(str(name), entry) for name, entry in listed.items()]


def _server(name: str, entry: Any) -> McpServer:
    if not isinstance(entry, dict):
        return McpServer(name, problem="the entry is no object")
    if entry.get("disabled") is True:
        return McpServer(name, problem="disabled")
    url, command = entry.get("url"), entry.get("command")
    if isinstance(url, str) and url.startswith(("http://", "https://")):
        return McpServer(name, url=url)
    if not isinstance(command, str) or not command:
        return McpServer(name, problem="neither a command nor an http address")
    args, env = entry.get("args", []), entry.get("env", {})
    if not isinstance(args, list) or not isinstance(env, dict):
        return McpServer(name, problem="args must be a list and env an object")
    return McpServer(
        name,
        command=command,
        args=tuple(str(arg) for arg in args),
        env=tuple((str(key), str(value)) for key, value in env.items()),
    )
