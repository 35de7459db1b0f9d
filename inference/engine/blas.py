"""Loads a fast BLAS before MLX is imported.

The Linux wheel of `mlx-cpu` links a reference BLAS: a float32 model decodes about twice
and prefills about eight times as fast with OpenBLAS in its place (SmolLM2-135M, 2 x86
cores). libmlx.so finds `cblas_sgemm` by name, so an OpenBLAS whose symbols are global
before the first `import mlx.core` takes over. Can go when the wheel ships a fast BLAS.
"""

import ctypes
import ctypes.util
import os
import re
import sys
from pathlib import Path

_CORE_TYPE = "OPENBLAS_CORETYPE"
_AVX512 = {"avx512f", "avx512bw", "avx512dq", "avx512vl"}


def load_openblas() -> str | None:
    """Make the symbols of an installed OpenBLAS global; return its file name, or None.

    Does nothing on macOS, where MLX uses Accelerate. Must run before mlx is imported;
    afterwards it has no effect on MLX.
    """
    if sys.platform == "darwin":
        return None
    name = ctypes.util.find_library("openblas")
    if name is None:
        return None
    if core_type := faster_core_type(_cpu_facts()):
        os.environ.setdefault(_CORE_TYPE, core_type)
    try:
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None  # found but unusable: MLX keeps its own
    return name


def faster_core_type(cpu_facts: str) -> str | None:
    """Return the kernels OpenBLAS should take where it would not find the fastest itself.

    cpu_facts: the text of /proc/cpuinfo. OpenBLAS 0.3.21, Debian 12's, runs AMD processors
    that know AVX-512 with AVX2 kernels: a pass over 64 tokens takes a quarter longer.
    """
    vendor = re.search(r"^vendor_id\s*: (\S+)", cpu_facts, re.MULTILINE)
    flags = re.search(r"^flags\s*: (.*)", cpu_facts, re.MULTILINE)
    if not vendor or vendor[1] != "AuthenticAMD" or not flags:
        return None
    return "SkylakeX" if set(flags[1].split()) >= _AVX512 else None


def _cpu_facts() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
