"""What a mounted adapter costs those who do not choose it: time of a decode step.

`python -m benchmarks.idle_adapter FOLDER [ROUNDS]` loads a model three times. On one an adapter is
mounted and was chosen before; two never had one, and the second of them shows how much equal models
differ here. They take turns, one step each, so that a busy machine is as unfair to all. The time of
the CPU is told beside that of the clock: it does not count what others take.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.step_loop import StepLoop

NEVER, MOUNTED, AGAIN = "never mounted one", "mounted, not chosen", "never mounted one, again"
ROUNDS = 300
WARM_UP_ROUNDS = 3
RANK = 16
_PROMPT = list(range(100, 138))
_ANSWER = 8  # tokens with the adapter on


def main(folder: Path, rounds: int) -> None:
    from inference.engine.blas import load_openblas

    load_openblas()  # before mlx

    steps = {name: _step(folder, mounts=name == MOUNTED) for name in (NEVER, MOUNTED, AGAIN)}
    print(render(take_turns(steps, rounds)))


@dataclass(frozen=True, slots=True)
class Seconds:
    """The median of a step, by the clock and of all cores together."""

    clock: float
    cpu: float


def take_turns(steps: dict[str, Callable[[], None]], rounds: int) -> dict[str, Seconds]:
    """Return what each step takes. All are called once in every round, each first in its turn."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in steps}
    order = list(steps)
    for _ in range(WARM_UP_ROUNDS + rounds):
        for name in order:
            clock, cpu = time.perf_counter(), time.process_time()
            steps[name]()
            taken[name].append((time.perf_counter() - clock, time.process_time() - cpu))
        order = order[1:] + order[:1]
    return {
        name: Seconds(*map(median, zip(*times[WARM_UP_ROUNDS:], strict=True)))
        for name, times in taken.items()
    }


def render(seconds: dict[str, Seconds]) -> str:
    """Lay out both as parts of what the first takes, in Markdown."""
    name, first = next(iter(seconds.items()))
    rows = [
        f"| {name} | {taken.clock / first.clock:.3f} | {taken.cpu / first.cpu:.3f} |"
        for name, taken in seconds.items()
    ]
    head = f"| An adapter was | decode step ÷ {name} | CPU time ÷ {name} |\n| --- | --- | --- |"
    return "\n".join([head, *rows])


def _step(folder: Path, *, mounts: bool) -> Callable[[], None]:
    """Load the model anew; returns a decode step of a sequence that chose no adapter."""
    from hub.density import WeightsOption
    from inference.engine.adapters.host import AdapterHost
    from inference.engine.loader import load
    from inference.engine.model_runner import ModelRunner

    loaded = load(folder, WeightsOption.AUTO, room_bytes=16 * 10**9)
    loop = StepLoop(ModelRunner(loaded.model, prefix_cache_bytes=0))
    if mounts:
        host = AdapterHost(loaded.bare, loaded.targets, loaded.compute)
        host.mount("any", _random_adapter(loaded.targets))
        loop.add(_sequence("chose it", _ANSWER, serial=True, adapted_model=host.select(("any",))))
        loop.run()
    plain = loop.add(_sequence("chose none", 10**6))
    loop.run_until(lambda: bool(plain.output))
    return loop.step


def _sequence(name: str, max_tokens: int, **fields: Any) -> Any:
    from inference.engine.sequence import Sequence
    from inference.request import SamplingParams

    return Sequence(name, list(_PROMPT), SamplingParams(temperature=0), max_tokens, **fields)


def _random_adapter(targets: Any) -> Any:
    """An adapter of random factors on every layer that can carry one."""
    import numpy as np

    from inference.adapters.config import AdapterConfig
    from inference.adapters.folder import Adapter, Factor, LayerFactors

    numbers = np.random.default_rng(1)

    def factor(shape: tuple[int, ...]) -> Factor:
        data = numbers.standard_normal(shape).astype("<f4") / 100
        return Factor("F32", shape, data.tobytes())

    layers = {
        path: LayerFactors(*map(factor, target.shapes(RANK)), flipped=False)
        for path, target in targets.items()
    }
    config = AdapterConfig(RANK, 1.0, None)
    return Adapter(Path("any"), config, layers, digest="", size_bytes=0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS)
