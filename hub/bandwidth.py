"""Memory bandwidth where no maker states it: measured, and remembered in the cache folder.

Each process measures once. A busy machine measures too little, never too much: the best
figure of all is the one that counts.
"""

import json
import logging
import math
import os
import subprocess
import sys
import threading
from pathlib import Path

from hub.config import HubConfig

logger = logging.getLogger(__name__)

UNMEASURED_GBPS = 20.0  # of a CPU, until it was measured
_TIMEOUT = 60  # seconds for a measurement of less than one
_lock = threading.Lock()  # over what follows
_begun: set[str] = set()  # chips that this process has measured or is measuring


def remembered_gbps(config: HubConfig, chip: str) -> float | None:
    """The best of what was measured on this chip with as many cores; None if nothing was."""
    try:
        value = json.loads(config.bandwidth_file.read_text(encoding="utf-8"))[_key(chip)]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return value if isinstance(value, float) and 0 < value < math.inf else None


def measure(config: HubConfig, chip: str) -> float | None:
    """Measure, remember and return the best so far; None where measuring fails.

    Blocks for a second or two, and takes all cores for a part of it.
    """
    with _lock:
        _begun.add(chip)
    try:
        # On busy cores the threads of a product wait for one another, a thousand times longer
        # than they compute; a single one does not.
        best = max(_probe(), _probe(OPENBLAS_NUM_THREADS="1"), remembered_gbps(config, chip) or 0.0)
        config.bandwidth_file.parent.mkdir(parents=True, exist_ok=True)
        config.bandwidth_file.write_text(json.dumps({_key(chip): best}), encoding="utf-8")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        logger.warning("the memory bandwidth could not be measured: %s", error)
        return None
    return best


def measure_in_background(config: HubConfig, chip: str) -> None:
    """Begin to measure on a thread of its own, unless this process has done so before."""
    with _lock:
        if chip in _begun:
            return
        _begun.add(chip)  # now: the thread may take a while to get there
    threading.Thread(target=measure, args=(config, chip), daemon=True).start()


def _probe(**environment: str) -> float:
    told = subprocess.run(
        [sys.executable, "-m", "hub.bandwidth_probe"],
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT,
        check=True,
    )
    return float(told.stdout)


def _key(chip: str) -> str:
    return f"{chip}, {os.cpu_count()} cores"
