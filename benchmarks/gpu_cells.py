"""Measures one shape and kind of weights: a process of its own, killed when it takes too long.

`python -m benchmarks.gpu_cells SHAPE WEIGHTS` prints a JSON line for each figure, as soon as
it is there. What may take minutes to compile comes last.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import gpu_ours, gpu_theirs
from benchmarks.gpu_models import make_model, make_ours

OURS, THEIRS = "mlxsite", "mlx-lm"
ROWS = (1, 8, 64)
# mlx-lm's quantized products of as many rows are compiled for minutes.
SLOW = ("4-bit", 64)
PREFIX, NEW = 2000, 20
GAP_ROWS, GAP_PROMPT = 8, 4096

Figures = dict[tuple[str, str], float]  # by measure and unit


def cells(shape: str, weights: str) -> Iterator[tuple[str, Callable[[], Figures]]]:
    """Yield what to measure, side by side: whose, and the function that does it."""
    model = make_model(shape, weights)
    fast_rows = [rows for rows in ROWS if (weights, rows) != SLOW]
    for rows in fast_rows:
        yield THEIRS, lambda rows=rows: _decode(gpu_theirs, model, rows)
    yield from _latencies(THEIRS, gpu_theirs, model)
    ours = make_ours(shape, weights)
    for rows in ROWS:
        yield OURS, lambda rows=rows: _decode(gpu_ours, ours, rows)
    yield from _latencies(OURS, gpu_ours, ours)
    if len(fast_rows) < len(ROWS):
        yield THEIRS, lambda: _decode(gpu_theirs, model, SLOW[1])


def _decode(side: Any, model: Any, rows: int) -> Figures:
    result = side.decode(model, rows)
    streams = "1 stream" if rows == 1 else f"{rows} streams"
    return {
        (f"decode, {streams}", "tokens/s"): result.rate,
        (f"step, {streams}", "ms"): result.step_ms,
    }


def _latencies(name: str, side: Any, model: Any) -> Iterator[tuple[str, Callable[[], Figures]]]:
    def first_token() -> Figures:
        cold, warm = side.first_token(model, PREFIX, NEW)
        return {
            (f"first token, {PREFIX} new", "ms"): 1e3 * cold,
            (f"first token, last {NEW} of {PREFIX} new", "ms"): 1e3 * warm,
        }

    yield name, first_token
    gap = (f"worst gap of {GAP_ROWS}, prompt of {GAP_PROMPT}", "ms")
    yield name, lambda: {gap: 1e3 * side.worst_gap(model, GAP_ROWS, GAP_PROMPT)}


def main(shape: str, weights: str) -> None:
    for name, measure in cells(shape, weights):
        started = time.perf_counter()
        try:
            figures = measure()
        except Exception as error:  # noqa: BLE001 - the others are still worth having
            print(json.dumps({"whose": name, "error": repr(error)}), flush=True)
            continue
        seconds = time.perf_counter() - started
        for (what, unit), value in figures.items():
            line = {"whose": name, "what": what, "unit": unit, "value": value, "took": seconds}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
