"""An engine over a tiny model that keeps its prompts on disk, as a server would have it."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inference.engine.cache.scheme import BF16, KvScheme
from inference.engine.cache.ssd.config import Origin, SsdConfig
from inference.engine.cache.ssd.stats import FlushReport, SsdStats
from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.idle_work import IdleWork
from inference.engine.plan import TokenOutput
from inference.engine.runner import Runner
from inference.engine.stream import TokenStream
from tests.plugins.scripted_engine import read, tokens
from tests.plugins.step_loop import make_sequence

PATIENCE = 60.0  # seconds
ROOMY = 1 << 30


@dataclass
class SsdEngine:
    """Loads the checkpoint by itself; `start`, then `answer`, `flush`, `close`.

    options: of the tier, beside its folder.
    save_every: tokens after which answers are saved. slow: whether steps take 5 ms at least.
    """

    checkpoint: Path
    folder: Path
    memory_bytes: int = ROOMY
    scheme: KvScheme = BF16
    max_rows: int | None = None
    chunk: int = 256
    fingerprint: str = "0123456789abcdef"
    options: dict[str, Any] = field(default_factory=dict)
    save_every: int | None = None
    slow: bool = False
    guard: Any = None

    def start(self) -> "SsdEngine":
        self.idle = IdleWork()
        config = EngineConfig(
            max_running=self.max_rows or 8,
            max_mixed_prefill_tokens=self.chunk,
            max_prefill_tokens=self.chunk,
        )
        self.engine = Engine(self._load, config, self.idle)
        self.engine.start()
        return self

    def _load(self) -> Runner:
        # Loaded anew each time, as arrays belong to the thread that made them.
        from hub.density import WeightsOption
        from inference.engine.cache.ssd.generations import Generations
        from inference.engine.cache.ssd.tier import SsdTier
        from inference.engine.loader import load
        from inference.engine.model_runner import ModelRunner

        model = load(self.checkpoint, WeightsOption.AUTO, 10**9).model
        config = SsdConfig(self.folder, **{"max_bytes": ROOMY, **self.options})
        origin = Origin("tiny", self.fingerprint, "tokens", self.scheme.name, "test")
        self.tier = SsdTier(config, origin, self.scheme.make_caches(model), self.idle)
        runner = ModelRunner(
            model,
            self.memory_bytes,
            scheme=self.scheme,
            guard=self.guard,
            max_rows=self.max_rows,
            tier=self.tier,
            generations=Generations(self.save_every, self.tier) if self.save_every else None,
        )
        if self.slow:
            _slow_down(runner)
        self.runner = runner
        return runner

    async def read(self, stream: TokenStream) -> list[TokenOutput]:
        return await read(stream, PATIENCE)

    async def run(self, prompt: list[int], max_tokens: int, **fields: Any) -> list[TokenOutput]:
        sequence = make_sequence(prompt, max_tokens)
        for name, value in fields.items():
            setattr(sequence, name, value)
        return await self.read(self.engine.submit(sequence))

    async def answer(self, prompt: list[int], max_tokens: int = 8, **fields: Any) -> "Answered":
        outputs = await self.run(prompt, max_tokens, **fields)
        assert outputs[-1].error is None, outputs[-1].error
        return Answered(tokens(outputs), outputs[-1].cached_tokens)

    def flush(self) -> FlushReport:
        return self.tier.flush().result(PATIENCE)

    @property
    def stats(self) -> SsdStats:
        return self.tier.stats()

    @property
    def files(self) -> list[Path]:
        """All files of entries, half-written ones included."""
        found = self.folder.rglob("*")
        return sorted(path for path in found if path.is_file() and path.name != "lock")

    @property
    def checkpoints(self) -> list[Path]:
        """Answers that are saved."""
        return [
            path
            for path in self.files
            if path.parent.name == "generations" and path.suffix == ".safetensors"
        ]

    def close(self) -> None:
        self.engine.stop(PATIENCE)


def _slow_down(runner: Any) -> None:
    collect = runner.collect

    def collect_slowly(step: Any) -> Any:
        time.sleep(0.005)
        return collect(step)

    runner.collect = collect_slowly


@dataclass(frozen=True)
class Answered:
    tokens: list[int]
    cached: int
