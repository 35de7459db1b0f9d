"""An audit hook that refuses what a program shall not ask of Python. It cannot be taken down."""

import os
import sys
from pathlib import Path
from typing import Any

_REFUSED = (
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.kill",
    "os.killpg",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "pty.spawn",
    "subprocess.Popen",
    "socket.bind",
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostby",
    "socket.send",
    "ctypes.dlopen",
    "ctypes.dlsym",
)
"""How events begin that are refused whatever they are about."""
_CHANGES = frozenset(
    {
        "os.chflags",
        "os.chmod",
        "os.chown",
        "os.link",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.setxattr",
        "os.symlink",
        "os.truncate",
        "os.utime",
        "shutil.rmtree",
    }
)
"""Events about paths, which are refused outside of the folder."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def put_up(folder: Path) -> None:
    """Refuse processes, the network, signals and libraries, and changes outside of a folder."""
    real = os.path.realpath(folder)

    def is_inside(path: Any) -> bool:
        if isinstance(path, int):  # a file that is open already
            return True
        found = os.path.realpath(os.fsdecode(path))
        return found == real or found.startswith(real + os.sep)

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(_REFUSED):
            raise PermissionError(f"{event} is not allowed here")
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITES and path != os.devnull:
                require_inside(event, path)
        elif event in _CHANGES:
            for path in arguments[:2]:
                if isinstance(path, str | bytes | os.PathLike):
                    require_inside(event, path)

    def require_inside(event: str, path: Any) -> None:
        if not is_inside(path):
            raise PermissionError(f"{event} is not allowed outside of the working folder")

    sys.addaudithook(look)
