"""The folder of sessions: one file for each, and nothing that leads out of it."""

import stat
from datetime import UTC, datetime
from pathlib import Path

from sessions.errors import NotRead, OutsideStore, SessionNotFound
from sessions.store.entries import Entry, new_entry, new_id, now
from sessions.store.holds import Holds
from sessions.store.session_file import SessionFile
from sessions.store.tree import Tree

SUFFIX = ".jsonl"


class SessionStore:
    """Sessions in the folder `root`. May block: not for the event loop.

    On the wire, a session's path is the name of its file; a full path into the folder is
    understood as well. held: the sessions of this process in which an answer is under way.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.held = Holds()

    def create(self, *, cwd: str, parent: str | None = None) -> SessionFile:
        """Make a session with nothing in it; parent: the name of the one it was forked from."""
        identity = new_id() + new_id()
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S-%fZ")
        data = {"type": "session", "id": identity, "timestamp": now(), "cwd": cwd}
        if parent is not None:
            data["parentSession"] = parent
        file = SessionFile(self.root / f"{moment}_{identity}{SUFFIX}")
        file.create(Entry("session", identity, None, data))
        return file

    def open(self, path: str) -> SessionFile:
        """Return an existing session; raises OutsideStore and SessionNotFound."""
        return SessionFile(self._confined(path))

    def files(self) -> list[SessionFile]:
        """Return every session of the folder, in no order; raises NotRead."""
        try:
            found = list(self.root.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise NotRead(f"the sessions cannot be listed ({error.strerror})") from error
        return [SessionFile(path) for path in found if _is_session(path)]

    def fork(self, path: str) -> SessionFile:
        """Copy a session into one of its own; raises as `open` does, NotRead and NotWritten."""
        original = self.open(path)
        entries = original.read()
        first = next((entry for entry in entries if entry.type == "session"), None)
        copy = self.create(
            cwd=str(first.data.get("cwd", "")) if first else "", parent=original.name
        )
        copy.append([entry for entry in entries if entry.type != "session"])
        return copy

    def delete(self, path: str) -> None:
        """Remove a session's file; raises as `open` does, and AnsweredElsewhere."""
        file = self._confined(path)
        with self.held.holding(file.name):
            file.unlink(missing_ok=True)

    def describe(self, path: str, **info: object) -> None:
        """Note a name or a pin; raises as `open` does, and NotWritten."""
        self.open(path).follow(
            lambda entries: [new_entry("session_info", Tree(entries).leaf, **info)]
        )

    def _confined(self, path: str) -> Path:
        """Follow every link first, then ask whether what is left lies in the folder."""
        if "\0" in path or not path:
            raise OutsideStore
        try:
            root = self.root.resolve()
            real = (root / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise OutsideStore from error
        if real.parent != root or real.suffix != SUFFIX:
            raise OutsideStore
        if not _is_session(real):
            raise SessionNotFound
        return real


def _is_session(path: Path) -> bool:
    try:
        path.name.encode()  # a name without UTF-8 cannot be told to a page
    except UnicodeEncodeError:
        return False
    try:
        return path.suffix == SUFFIX and stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
