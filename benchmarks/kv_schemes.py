"""What `--kv-quant` saves and costs: memory of a context, and time of a decode step behind it.

`python -m benchmarks.kv_schemes FOLDER [TOKENS]` prints both as parts of what they are with
`off`. The schemes take turns, one step each, so that a busy machine is as unfair to all.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ASKED = ("off", "8", "4", "turbo")
ROUNDS = 30
WARM_UP_ROUNDS = 3
CONTEXT_TOKENS = 1024
_CHUNK = 256


def main(folder: Path, tokens: int) -> None:
    from inference.engine.blas import load_openblas

    load_openblas()  # before mlx

    from hub.density import WeightsOption
    from inference.engine.cache.choice import choose_scheme
    from inference.engine.loader import load
    from inference.kv_quant import KvQuant

    model = load(folder, WeightsOption.AUTO, room_bytes=16 * 10**9).model
    caches = {
        asked: _filled(model, choose_scheme(model, KvQuant.parse(asked), folder), tokens)
        for asked in ASKED
    }
    sizes = {asked: sum(layer.nbytes for layer in layers) for asked, layers in caches.items()}
    seconds = take_turns({asked: _step(model, layers) for asked, layers in caches.items()}, ROUNDS)
    print(render(sizes, seconds))


def take_turns(steps: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Return the median seconds of each step, all of them called once in every round."""
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(WARM_UP_ROUNDS + rounds):
        for name, step in steps.items():
            started = time.perf_counter()
            step()
            taken[name].append(time.perf_counter() - started)
    return {name: median(times[WARM_UP_ROUNDS:]) for name, times in taken.items()}


def render(sizes: dict[str, int], seconds: dict[str, float]) -> str:
    """Lay out both, as parts of what the first has, in Markdown."""
    first = next(iter(sizes))
    rows = [
        f"| `{name}` | {sizes[name] / sizes[first]:.2f} | {seconds[name] / seconds[first]:.2f} |"
        for name in sizes
    ]
    head = f"| `--kv-quant` | memory ÷ {first} | decode step ÷ {first} |\n| --- | --- | --- |"
    return "\n".join([head, *rows])


def _filled(model: Any, scheme: Any, tokens: int) -> list[Any]:
    import mlx.core as mx

    layers: list[Any] = scheme.make_caches(model)
    for start in range(0, tokens, _CHUNK):
        ids = [(7 * place) % 1000 + 100 for place in range(start, min(start + _CHUNK, tokens))]
        model(mx.array([ids]), cache=layers)
        mx.eval([layer.state for layer in layers])
    return layers


def _step(model: Any, layers: list[Any]) -> Callable[[], None]:
    import mlx.core as mx

    return lambda: mx.eval(model(mx.array([[100]]), cache=layers))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else CONTEXT_TOKENS)
