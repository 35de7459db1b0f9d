"""The first token of a long prompt before and after a server's restart.

Our server keeps prompts on disk for this; `mlx_lm.server` keeps them in memory only. Before ours
is stopped, it is asked to write all of them, and its answer to that is recorded.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

from benchmarks.client import ask, connect
from benchmarks.options import Options
from benchmarks.prompts import long_prompt
from benchmarks.results import Cell, attempt, report
from benchmarks.servers import Server, ServerKind, started
from benchmarks.workloads import ANSWER_TOKENS

Flush = dict[str, Any] | None
"""What a server answered when it was to write its prompts; None if it keeps none on disk."""

_TOPIC = 3  # no other workload's


def names(options: Options) -> list[str]:
    """Return the names of the rows, in their order."""
    first = f"first token of {options.prompt_tokens}"
    return [f"{first}, {when}" for when in ("before a restart", "in memory", "after the restart")]


def measure(kind: ServerKind, folder: Path, options: Options) -> tuple[dict[str, Cell], Flush]:
    """Start a server twice on one folder for its prompts; returns a cell for each row."""
    cells: dict[str, Cell] = {}
    flush: Flush = None
    cold, warm, after = names(options)
    with tempfile.TemporaryDirectory() as prompts:
        flags = kind.keep_prompts(Path(prompts))
        with started(kind, folder, 1, flags) as server:
            cells[cold] = attempt(lambda: _ready_then_ask(server, options, 0))
            cells[warm] = attempt(lambda: _seconds(server, options, 1))
            if flags and cells[cold].value is not None:
                flush = _flush(server, options)
        with started(kind, folder, 1, flags) as server:
            cells[after] = attempt(lambda: _ready_then_ask(server, options, 2))
    for name, cell in cells.items():
        report(f"{kind.name}: {name}", cell, "s")
    if flush is not None:
        print(f"{kind.name}: flush: {flush}", file=sys.stderr, flush=True)
    return cells, flush


def _ready_then_ask(server: Server, options: Options, question: int) -> float:
    server.wait_until_ready(options.timeout_seconds)
    return _seconds(server, options, question)


def _seconds(server: Server, options: Options, question: int) -> float:
    """Return the seconds to the first token of a prompt that differs at its very end only."""

    async def run() -> float:
        async with connect(server.url, options.timeout_seconds) as client:
            prompt = long_prompt(options.prompt_tokens, topic=_TOPIC, question=question)
            return (await ask(client, prompt, ANSWER_TOKENS)).seconds_to_first_token

    return asyncio.run(run())


def _flush(server: Server, options: Options) -> Flush:
    url = f"{server.url}/admin/cache/flush"
    response = httpx.post(url, timeout=options.timeout_seconds)
    return {"status": response.status_code, **response.json()}
