"""What this machine has: how much memory, and which chip.

In a container the memory is what its cgroup allows, not what the host has: a model sized
by the host would be killed.
"""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

PROC = Path("/proc")
CGROUP_ROOT = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Machine:
    """chip: "M4 Pro", or a CPU's own name; ram_bytes: what programs here may use in all."""

    chip: str
    ram_bytes: int


def this_machine() -> Machine:
    """Look at the machine this process runs on; a few file reads, no lasting cost."""
    return Machine(chip=chip_name(), ram_bytes=ram_bytes())


def ram_bytes() -> int:
    """Physical memory, or the tightest cgroup limit over this process where that is less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if sys.platform == "darwin":
        return physical
    return min([physical, *cgroup_limits(PROC, CGROUP_ROOT)])


def cgroup_limits(proc: Path, cgroup_root: Path) -> Iterator[int]:
    """Yield every memory limit, in bytes, from this process's cgroup up to the root.

    Both versions of cgroups: v2 has one tree and `memory.max`, v1 a tree for each
    controller and `memory.limit_in_bytes`. A limit set on a parent binds its children.
    """
    for line in _read(proc / "self" / "cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers == "":
            tree, name = cgroup_root, "memory.max"
        elif "memory" in controllers.split(","):
            tree, name = cgroup_root / "memory", "memory.limit_in_bytes"
        else:
            continue
        own = PurePosixPath(path.strip("/"))
        # Inside a container the path is often the host's and absent here, while the root
        # of the mounted tree is the container's own: hence the walk up to that root.
        for part in (own, *own.parents):
            limit = _read(tree / part / name).strip()
            if limit.isdecimal():
                yield int(limit)


def chip_name() -> str:
    """The chip as people say it: "M4 Pro", not "Apple M4 Pro"."""
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    else:
        match = re.search(r"^model name\s*:\s*(.+)$", _read(PROC / "cpuinfo"), re.MULTILINE)
        found = match[1] if match else ""
    return found.strip().removeprefix("Apple ") or platform.machine()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
