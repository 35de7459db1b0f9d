"""What the web side costs: the server's decode rate over the engine's own, in one run.

`make bench` runs it on the starter model; the two sides take turns, and medians are
compared. Absolute figures depend on the machine; the ratio is the result.
"""

import asyncio
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.served_decode import ROOT, served_rate, server
from hub.starter.install import starter_path
from mlxsite.settings import HUB

ROWS, STEPS, ROUNDS = 8, 64, 3


def measure(folder: Path, *, rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the median served and direct rates in tokens per second."""
    served, direct = [], []
    for _ in range(rounds):
        command = [sys.executable, "-m", "benchmarks.direct_decode", str(folder)]
        output = subprocess.check_output([*command, str(ROWS), str(STEPS)], cwd=ROOT)
        direct.append(float(output))
        with server(folder) as url:
            # The first streams are well on their way when the last one begins.
            served.append(asyncio.run(served_rate(url, ROWS, 2 * STEPS)))
    return statistics.median(served), statistics.median(direct)


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else starter_path(HUB)
    served, direct = measure(folder)
    print(f"{ROWS} streams: served {served:.1f} tok/s, direct {direct:.1f} tok/s, ", end="")
    print(f"ratio {served / direct:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
