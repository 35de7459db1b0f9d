"""The tools that one prompt can lead to."""

from collections.abc import Iterable
from typing import Any

from sessions.tools.base import Tool


class Toolbox:
    """Tools by name. A name that is not there is asked about like a gated one, and then fails."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def __len__(self) -> int:
        return len(self._tools)

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def declarations(self) -> tuple[dict[str, Any], ...]:
        return tuple(tool.declaration() for tool in self._tools.values())

    def names(self) -> list[str]:
        return list(self._tools)
