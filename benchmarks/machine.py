"""What a figure was measured on, in words."""

import importlib.metadata
import os
import platform
from pathlib import Path

CPU_FIELDS = ("model name", "Model name", "Hardware")


def describe_machine() -> dict[str, str]:
    """Return the processor, its cores, the system, and the versions that decide speed."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: _version(name) for name in ("mlx", "mlx-lm", "mlxsite")},
    }


def _processor() -> str:
    with_names = Path("/proc/cpuinfo")
    if with_names.exists():
        for line in with_names.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in CPU_FIELDS:
                return value.strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
