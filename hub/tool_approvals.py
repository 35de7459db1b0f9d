"""Which tools the owner has allowed for good, by name; all others are asked about each time.

A file that is missing, damaged or of a later version allows nothing.
"""

from dataclasses import dataclass
from pathlib import Path

from hub.state_file import locked, read_object, write_object

VERSION = 1


@dataclass(frozen=True, slots=True)
class ToolApprovals:
    """The list in the file `path`: `{"version": 1, "allows": {"bash": true}}`."""

    path: Path

    def allowed(self) -> list[str]:
        """Names of the allowed tools, in alphabetical order."""
        value = read_object(self.path)
        allows = value.get("allows")
        if value.get("version") != VERSION or not isinstance(allows, dict):
            return []
        return sorted(tool for tool, allowed in allows.items() if allowed is True)

    def allow(self, tool: str) -> None:
        """Allow a tool from now on; raises NotSaved."""
        with locked(self.path):
            self._write([*self.allowed(), tool])

    def forget(self, tool: str) -> None:
        """Ask about a tool again; without effect if it was not allowed. Raises NotSaved."""
        with locked(self.path):
            allowed = self.allowed()
            if tool in allowed:
                self._write([name for name in allowed if name != tool])

    def _write(self, tools: list[str]) -> None:
        allows = dict.fromkeys(sorted(tools), True)
        write_object(self.path, {"version": VERSION, "allows": allows})
