"""Builds the CUDA kernels that lie beside this file."""

import hashlib
import struct
from functools import cache
from pathlib import Path
from typing import Any

import mlx.core as mx


@cache
def cuda_kernel(
    name: str,
    header: str,
    source: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    *,
    copies: bool = True,
) -> Any:
    """Return the kernel that runs `source`, the body of a function; compiled at first use.

    header: the file, without its suffix, whose functions `source` calls.
    copies: whether inputs that are not contiguous are copied first.
    """
    folder = Path(__file__).parent
    text = "".join(
        (folder / f"{part}.cuh").read_text(encoding="utf-8") for part in ("fragments", header)
    )
    # mlx keeps compiled kernels on disk by name alone, so the name must change with the text.
    digest = hashlib.sha256((text + source).encode()).hexdigest()[:12]
    return mx.fast.cuda_kernel(
        name=f"{header}_{name}_{digest}",
        input_names=list(inputs),
        output_names=list(outputs),
        source=source,
        header=text,
        ensure_row_contiguous=copies,
    )


def bits(number: float) -> int:
    """Return the bits of a number as a float32: kernels take constants as integers only."""
    result: int
    (result,) = struct.unpack("<i", struct.pack("<f", number))
    return result
