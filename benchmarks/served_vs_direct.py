"""What the web side costs: the server's decode rate over the engine's own, in one run.

The two sides take turns, and medians are compared. Absolute figures depend on the machine;
the ratio is the result.
"""

import asyncio
import statistics
from pathlib import Path

from benchmarks.direct_decode import direct_rate
from benchmarks.servers import MLXSITE, started
from benchmarks.workloads import decode_rate

ROWS, STEPS = 8, 64
TIMEOUT_SECONDS = 300


def measure(folder: Path, *, rounds: int = 1) -> tuple[float, float]:
    """Return the median served and direct rates in tokens per second."""
    served, direct = [], []
    for _ in range(rounds):
        direct.append(direct_rate(folder, ROWS, STEPS, TIMEOUT_SECONDS))
        with started(MLXSITE, folder, ROWS) as server:
            server.wait_until_ready(TIMEOUT_SECONDS)
            # The first streams are well on their way when the last one begins.
            rate = decode_rate(server.url, ROWS, 2 * STEPS, TIMEOUT_SECONDS)
            served.append(asyncio.run(rate))
    return statistics.median(served), statistics.median(direct)
