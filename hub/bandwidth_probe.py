"""How fast this CPU reads weights, measured: `python -m hub.bandwidth_probe` prints it.

A program of its own, since it brings numpy and for a moment takes all cores. The figure is
not that of a memory copy. With one row of activations, a float32 product is what decoding
spends its time on, and BLAS is not made for it: it packs the weights, so that each is read,
written and read again. On two cores of an AMD EPYC a copy moves 68 GB/s and the product gets
through 17, in numpy's OpenBLAS as in the one that MLX uses. Two rows are taken because
numpy computes a single one in another way.
"""

import math
import sys
import time

import numpy as np
from numpy.typing import NDArray

ROWS = 2
INPUTS, OUTPUTS = 1024, 1024  # of one product: 4 MiB, about as large as a layer's
PRODUCTS = 32  # with weights of their own, 128 MiB in all: more than CPUs cache
ENOUGH = 200  # products; some 50 ms on an idle machine
SECONDS = 1.5


def measure_gbps() -> float:
    """Decimal gigabytes of weights a second, in the best of the products that time allows.

    The best, as a thread that waits for its turn on a busy core stalls a whole product.
    """
    weights = np.ones((PRODUCTS, OUTPUTS, INPUTS), dtype=np.float32)
    activations = np.ones((ROWS, INPUTS), dtype=np.float32)
    best = math.inf
    deadline = time.perf_counter() + SECONDS
    for number in range(ENOUGH):
        best = min(best, _seconds(activations, weights[number % PRODUCTS]))
        if time.perf_counter() > deadline:
            break
    return OUTPUTS * INPUTS * weights.itemsize / 1e9 / best


def _seconds(activations: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
    started = time.perf_counter()
    activations @ weights.T
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.stdout.write(f"{measure_gbps():.2f}\n")
