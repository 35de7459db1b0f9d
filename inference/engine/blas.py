"""Loads a fast BLAS before MLX is imported.

The Linux wheel of `mlx-cpu` links a reference BLAS: a float32 model decodes about twice
and prefills about eight times as fast with OpenBLAS in its place (SmolLM2-135M, 2 x86
cores). libmlx.so finds `cblas_sgemm` by name, so an OpenBLAS whose symbols are global
before the first `import mlx.core` takes over. Can go when the wheel ships a fast BLAS.
"""

import ctypes
import ctypes.util
import sys


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
    try:
        ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None  # found but unusable: MLX keeps its own
    return name
