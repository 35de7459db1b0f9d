"""The NVIDIA card that MLX would compute on, if there is one and MLX was built for it."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from hub.chips import nvidia_name

_QUERY = (
    "nvidia-smi",
    "--query-gpu=index,uuid,name,memory.total",
    "--format=csv,noheader,nounits",
)
VISIBLE = "CUDA_VISIBLE_DEVICES"  # CUDA's own variable, which nvidia-smi takes no notice of
_TIMEOUT = 20  # seconds; the first call may have to load the driver
_BUILDS = ("mlx-cuda-13", "mlx-cuda-12", "mlx-cuda")  # packages that bring MLX for CUDA


@dataclass(frozen=True, slots=True)
class Card:
    """chip: named as in `hub.chips`. memory_bytes: its own; None where it shares the RAM."""

    chip: str
    memory_bytes: int | None


def find_card() -> Card | None:
    """Ask the driver, which takes up to a second; MLX uses the first card that CUDA shows it."""
    if not any(_is_installed(build) for build in _BUILDS):
        return None
    try:
        told = subprocess.run(_QUERY, capture_output=True, text=True, timeout=_TIMEOUT, check=True)
    except (OSError, subprocess.SubprocessError):
        return None  # no driver, no card
    line = _first_visible(told.stdout.splitlines(), os.environ)
    if line is None:
        return None
    name, _, mebibytes = line.split(",", 2)[2].strip().rpartition(",")
    size = mebibytes.strip()
    return Card(nvidia_name(name), int(size) * 2**20 if size.isdecimal() else None)


def _first_visible(lines: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """Of lines that begin with a card's index and UUID, that of the first card for CUDA."""
    cards = [line for line in lines if line.count(",") >= 3]
    if VISIBLE not in environment:
        return next(iter(cards), None)
    wanted = environment[VISIBLE].partition(",")[0].strip()
    if wanted.startswith("MIG-"):
        return next(iter(cards), None)  # a part of some card: the driver does not say of which
    for line in cards:
        index, uuid = (part.strip() for part in line.split(",")[:2])
        if wanted == index or (wanted.startswith("GPU-") and uuid.startswith(wanted)):
            return line
    return None  # as for "" and "-1", CUDA shows none


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
