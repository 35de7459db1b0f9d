"""What this machine has: which chip MLX computes on, how much memory, how fast it is.

In a container the memory is what its cgroup allows, not what the host has: a model sized
by the host would be killed. Where an NVIDIA card computes, chip and memory are the card's.
MLX itself is not asked, since the web process must not load it.
"""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path, PurePosixPath

from hub import bandwidth, chips
from hub.config import HubConfig
from hub.nvidia import find_card

PROC = Path("/proc")
CGROUP_ROOT = Path("/sys/fs/cgroup")


class Device(StrEnum):
    """What MLX computes on."""

    CPU = "cpu"
    CUDA = "cuda"
    METAL = "metal"


@dataclass(frozen=True, slots=True)
class Machine:
    """What fit and speed depend on.

    chip: "M4 Pro", "H200", or a CPU's own name. ram_bytes: what programs here may use in
    all. bandwidth_gbps: decimal gigabytes of weights that are read in a second.
    """

    chip: str
    ram_bytes: int
    device: Device
    bandwidth_gbps: float


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """What MLX computes on, and how many bytes of memory programs there may use in all."""

    device: Device
    total_bytes: int


def this_machine(config: HubConfig, *, wait: bool = False) -> Machine:
    """Look at the machine this process runs on. Blocks: call it off the event loop.

    The first call in a process asks the driver of a card, which can take a second. What a
    CPU's bandwidth is has to be measured: if wait, here, unless it was before; else on
    another thread, and until then the figure is a guess.
    """
    facts = _lasting_facts()
    return Machine(
        chip=facts.chip,
        ram_bytes=this_memory().total_bytes,
        device=facts.device,
        bandwidth_gbps=_bandwidth_gbps(facts, config, wait),
    )


def this_memory() -> DeviceMemory:
    """The memory that a model is sized for. Blocks: as `this_machine`."""
    facts = _lasting_facts()
    return DeviceMemory(facts.device, facts.memory_bytes or ram_bytes())


def this_chip() -> str:
    """The chip that MLX computes on here, as `Machine` has it. Blocks: as `this_machine`."""
    return _lasting_facts().chip


@dataclass(frozen=True, slots=True)
class _LastingFacts:
    """What no running process will see change; memory_bytes: a card's own."""

    chip: str
    device: Device
    memory_bytes: int | None = None


@cache
def _lasting_facts() -> _LastingFacts:
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return _LastingFacts(chip_name(), Device.METAL)
    if card := find_card():
        return _LastingFacts(card.chip, Device.CUDA, card.memory_bytes)
    return _LastingFacts(chip_name(), Device.CPU)


def _bandwidth_gbps(facts: _LastingFacts, config: HubConfig, wait: bool) -> float:
    if facts.device is not Device.CPU:
        return chips.bandwidth_gbps(facts.chip) or chips.UNKNOWN_BANDWIDTH_GBPS
    known = bandwidth.remembered_gbps(config, facts.chip)
    if wait:
        known = known or bandwidth.measure(config, facts.chip)
    else:
        bandwidth.measure_in_background(config, facts.chip)
    return known or bandwidth.UNMEASURED_GBPS


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
