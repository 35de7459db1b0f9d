"""The rows of the comparison: what is taken of every server, and in which order."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.memory import peak_bytes
from benchmarks.options import Options
from benchmarks.servers import Server
from benchmarks.workloads import (
    cold_first_token,
    decode_rate,
    warm_first_token,
    worst_gap_steps,
)


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table. run: a running server to its figure, in `unit`."""

    name: str
    unit: str
    run: Callable[[Server], float]


def measures(options: Options) -> Iterator[Measure]:
    """Yield the measures in the order in which they must be taken on a fresh server."""
    length, timeout = options.prompt_tokens, options.timeout_seconds
    yield Measure("start to first answer", "s", lambda server: server.wait_until_ready(timeout))
    first = f"first token of {length}"
    yield _asked(f"{first}, cold", "s", cold_first_token, length, timeout)
    yield _asked(f"{first}, all but the end seen", "s", warm_first_token, length, timeout)
    for count in options.streams:
        name = f"decode, {count} {'stream' if count == 1 else 'streams'}"
        yield _asked(name, "tok/s", decode_rate, count, options.tokens, timeout)
    gap = f"worst gap beside a prompt of {length}"
    yield _asked(gap, "steps", worst_gap_steps, length, timeout)
    yield Measure("peak memory", "GB", lambda server: peak_bytes(server.process.pid) / 1e9)


def _asked(
    name: str, unit: str, workload: Callable[..., Coroutine[Any, Any, float]], *arguments: float
) -> Measure:
    """Make a measure of a workload, which takes a URL and then `arguments`."""
    return Measure(name, unit, lambda server: asyncio.run(workload(server.url, *arguments)))
