"""Decode rate of the engine's own step loop: no thread, no web, no text.

`python -m benchmarks.direct_decode FOLDER ROWS STEPS` prints tokens per second. It runs in
a process of its own, so that each measurement starts from the same state.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def direct_rate(folder: Path, rows: int, steps: int, timeout_seconds: float) -> float:
    """Measure in a process of its own; returns tokens per second of all rows together.

    Raises RuntimeError with the last line of what that process said, or when time is up.
    """
    command = [sys.executable, "-m", "benchmarks.direct_decode", str(folder), str(rows), str(steps)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout_seconds
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"direct decode took more than {timeout_seconds:.0f} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"ended with status {done.returncode}")
    return float(done.stdout)


def main(folder: Path, rows: int, steps: int) -> None:
    from inference.engine.blas import load_openblas

    load_openblas()  # before mlx

    from benchmarks.step_loop import decode_rate
    from hub.density import WeightsOption
    from inference.engine.loader import load
    from inference.engine.model_runner import ModelRunner

    loaded = load(folder, WeightsOption.AUTO, room_bytes=16 * 10**9)
    print(decode_rate(ModelRunner(loaded.model, prefix_cache_bytes=0), rows, steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
