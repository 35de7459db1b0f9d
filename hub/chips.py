"""Memory of the chips that MLX runs on: how fast it is read, and how much of it they are sold with.

Decoding is as fast as memory is. Figures are the makers' own, for the largest variant of
each chip.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

UNKNOWN_BANDWIDTH_GBPS = 273  # a middling one


@dataclass(frozen=True, slots=True)
class Chip:
    """name: as people say it. bandwidth_gbps: decimal gigabytes a second.

    ram_gb: sizes it is sold with, in GB as printed on the box (2**30 bytes).
    """

    name: str
    bandwidth_gbps: int
    ram_gb: tuple[int, ...]


APPLE = (
    Chip("M1", 68, (8, 16)),
    Chip("M1 Pro", 200, (16, 32)),
    Chip("M1 Max", 400, (32, 64)),
    Chip("M1 Ultra", 800, (64, 128)),
    Chip("M2", 100, (8, 16, 24)),
    Chip("M2 Pro", 200, (16, 32)),
    Chip("M2 Max", 400, (32, 64, 96)),
    Chip("M2 Ultra", 800, (64, 128, 192)),
    Chip("M3", 100, (8, 16, 24)),
    Chip("M3 Pro", 150, (18, 36)),
    Chip("M3 Max", 400, (36, 48, 64, 96, 128)),
    Chip("M3 Ultra", 819, (96, 256, 512)),
    Chip("M4", 120, (16, 24, 32)),
    Chip("M4 Pro", 273, (24, 48)),
    Chip("M4 Max", 546, (36, 48, 64, 128)),
)
NVIDIA = (
    Chip("RTX 3060", 360, (12,)),
    Chip("RTX 3090", 936, (24,)),
    Chip("RTX 4060 Ti", 288, (16,)),
    Chip("RTX 4090", 1008, (24,)),
    Chip("RTX 5070 Ti", 896, (16,)),
    Chip("RTX 5080", 960, (16,)),
    Chip("RTX 5090", 1792, (32,)),
    Chip("RTX 6000 Ada", 960, (48,)),
    Chip("RTX PRO 6000", 1792, (96,)),
    Chip("L4", 300, (24,)),
    Chip("L40S", 864, (48,)),
    Chip("GB10", 273, (128,)),
    Chip("A100", 2039, (80,)),
    Chip("H100", 3350, (80,)),
    Chip("H200", 4800, (141,)),
    Chip("B200", 8000, (180,)),
)
_BY_NAME = {chip.name: chip for chip in (*APPLE, *NVIDIA)}


def bandwidth_gbps(chip: str) -> int | None:
    """Bandwidth of a chip named as in these tables; None if it is in neither."""
    found = _BY_NAME.get(chip)
    return found.bandwidth_gbps if found else None


def nvidia_name(product: str) -> str:
    """The chip in a product's name: "NVIDIA A100-SXM4-80GB" is an "A100".

    A product that is not in the table, such as a laptop's slower namesake, keeps its name.
    """
    name = product.strip().removeprefix("NVIDIA ").removeprefix("GeForce ")
    if "Laptop" not in name:
        for chip in sorted(NVIDIA, key=lambda chip: -len(chip.name)):
            if re.match(re.escape(chip.name) + r"(?![A-Za-z0-9])", name):
                return chip.name
    return name


def skus() -> Iterator[tuple[Chip, int]]:
    """Yield every chip with every size of its memory, in GB."""
    for chip in (*APPLE, *NVIDIA):
        for size in chip.ram_gb:
            yield chip, size
