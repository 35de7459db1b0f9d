"""What a figure was measured on, in words."""

import ctypes.util
import importlib.metadata
import os
import platform
from pathlib import Path

# x86, and the older ARM kernels; newer ones name no processor.
CPU_FIELDS = ("model name", "Hardware")


def describe_machine() -> dict[str, str]:
    """Return the processor, its cores, the system, and the versions that decide speed."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "OpenBLAS": "yes" if ctypes.util.find_library("openblas") else "no",
        "Python": platform.python_version(),
        **{name: _version(name) for name in ("mlx", "mlx-lm", "mlxsite")},
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in CPU_FIELDS:
                return value.strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
