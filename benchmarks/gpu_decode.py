"""Compares our engine with mlx-lm's own loops on a CUDA GPU, on the same random weights.

`python -m benchmarks.gpu_decode [--only SHAPE] [--weights KIND] [--limit SECONDS] [--json FILE]`
prints one table for each shape and kind of weights.
"""

import argparse
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_machine
from benchmarks.results import Cell, Row
from benchmarks.table import render

OURS, THEIRS = "mlxsite", "mlx-lm"
SHAPES = ("Qwen3-0.6B", "Qwen3-8B")
WEIGHTS = ("bf16", "4-bit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=SHAPES, action="append", help="a shape; all unless given")
    parser.add_argument("--weights", choices=WEIGHTS, action="append", help="all unless given")
    parser.add_argument("--limit", type=int, default=150, help="seconds for each table")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    options = parser.parse_args()
    results = []
    for shape in options.only or SHAPES:
        for weights in options.weights or WEIGHTS:
            lines, ended = _measure(shape, weights, options.limit)
            print(f"\n{shape}, {weights}\n\n{render(_rows(lines), OURS, THEIRS)}", flush=True)
            if not ended:
                print(f"\nwhat is missing was not done within {options.limit} s", flush=True)
            results.append({"shape": shape, "weights": weights, "figures": lines})
    if options.json:
        text = json.dumps({"machine": describe_machine(), "results": results}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")


def _measure(shape: str, weights: str, limit: int) -> tuple[list[dict[str, Any]], bool]:
    """Run the cells in a process of their own; return their lines and whether it ended."""
    command = [sys.executable, "-m", "benchmarks.gpu_cells", shape, weights]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(limit, process.kill)
        timer.start()
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", file=sys.stderr, flush=True)
            lines.append(json.loads(line))
        ended = process.wait() == 0
        timer.cancel()
    return lines, ended


def _rows(lines: list[dict[str, Any]]) -> list[Row]:
    rows: dict[tuple[str, str], dict[str, Cell]] = {}
    for line in lines:
        if "error" not in line:
            key = (line["what"], line["unit"])
            rows.setdefault(key, {})[line["whose"]] = Cell(line["value"])
    return [Row(what, unit, cells) for (what, unit), cells in rows.items()]


if __name__ == "__main__":
    main()
