"""The NVIDIA card that MLX would compute on, if there is one and MLX was built for it."""

import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from hub.chips import nvidia_name

_QUERY = ("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
_TIMEOUT = 20  # seconds; the first call may have to load the driver
_BUILDS = ("mlx-cuda-13", "mlx-cuda-12", "mlx-cuda")  # packages that bring MLX for CUDA


@dataclass(frozen=True, slots=True)
class Card:
    """chip: named as in `hub.chips`. memory_bytes: its own; None where it shares the RAM."""

    chip: str
    memory_bytes: int | None


def find_card() -> Card | None:
    """Ask the driver, which takes up to a second; the first card is the one MLX uses."""
    if not any(_is_installed(build) for build in _BUILDS):
        return None
    try:
        told = subprocess.run(_QUERY, capture_output=True, text=True, timeout=_TIMEOUT, check=True)
    except (OSError, subprocess.SubprocessError):
        return None  # no driver, no card
    name, _, mebibytes = told.stdout.partition("\n")[0].rpartition(",")
    if not name:
        return None
    size = mebibytes.strip()
    return Card(nvidia_name(name), int(size) * 2**20 if size.isdecimal() else None)


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
