"""mlxsite beside `mlx_lm.server` on the same model folder: `make bench`.

Each server is started, measured and stopped before the next one begins. Prints one table;
absolute figures depend on the machine, the ratios of one run are the result.
"""

import json
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path

from benchmarks import restart, served_vs_direct
from benchmarks.machine import describe_machine
from benchmarks.measures import measures
from benchmarks.options import Options, parse
from benchmarks.results import Cell, Row, attempt, median, report
from benchmarks.servers import MLX_LM, MLXSITE, ServerKind, started
from benchmarks.table import render
from hub.starter.install import starter_path
from mlxsite.settings import HUB


def measure_server(kind: ServerKind, folder: Path, options: Options) -> dict[str, Cell]:
    """Start one server and take every measure; a failed one leaves the next ones their turn."""
    cells = {}
    with started(kind, folder, max(options.streams)) as server:
        for measure in measures(options):
            cells[measure.name] = cell = attempt(partial(measure.run, server))
            report(f"{kind.name}: {measure.name}", cell, measure.unit)
    return cells


def compare(folder: Path, options: Options) -> list[Row]:
    """Measure every server in turn, as many rounds as asked for; medians make the rows."""
    rounds: defaultdict[tuple[str, str], list[Cell]] = defaultdict(list)
    for _ in range(options.rounds):
        for kind in options.servers:
            for name, cell in measure_server(kind, folder, options).items():
                rounds[name, kind.name].append(cell)
    rows = [
        Row(m.name, m.unit, {k.name: median(rounds[m.name, k.name]) for k in options.servers})
        for m in measures(options)
    ]
    if options.direct and MLXSITE in options.servers:
        rows.append(_served_vs_direct(folder, options.rounds))
    return rows


def compare_restarts(folder: Path, options: Options) -> tuple[list[Row], list[restart.Flush]]:
    """Restart every server in turn; returns the rows, and what ours answered to flushes."""
    rounds: defaultdict[tuple[str, str], list[Cell]] = defaultdict(list)
    flushes = []
    for _ in range(options.rounds):
        for kind in options.servers:
            cells, flush = restart.measure(kind, folder, options)
            for name, cell in cells.items():
                rounds[name, kind.name].append(cell)
            if flush is not None:
                flushes.append(flush)
    rows = [
        Row(name, "s", {k.name: median(rounds[name, k.name]) for k in options.servers})
        for name in restart.names(options)
    ]
    return rows, flushes


def _served_vs_direct(folder: Path, rounds: int) -> Row:
    def ratio() -> float:
        served, direct = served_vs_direct.measure(folder, rounds=rounds)
        return served / direct

    row = Row(
        f"served ÷ direct decode, {served_vs_direct.ROWS} streams",
        "",
        {MLXSITE.name: attempt(ratio)},
    )
    report(row.measure, row.cells[MLXSITE.name], row.unit)
    return row


def main() -> None:
    options = parse()
    folder = options.model or starter_path(HUB)
    machine = describe_machine()
    print(f"{folder.name} on {', '.join(f'{k} {v}' for k, v in machine.items())}")
    rows, flushes = compare(folder, options), []
    if options.restart:
        restarts, flushes = compare_restarts(folder, options)
        rows += restarts
    print(render(rows, MLXSITE.name, MLX_LM.name))
    if options.json:
        written = {
            "model": folder.name,
            "machine": machine,
            "arguments": sys.argv[1:],
            "rows": [row.to_json() for row in rows],
            "flushes": flushes,
        }
        options.json.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
