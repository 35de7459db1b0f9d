"""MLX as the server has it: with OpenBLAS in front, where it is installed."""

from inference.engine.blas import load_openblas

load_openblas()  # before any test module of this folder imports mlx
