"""How the engine is set up: decided once, before it starts."""

from dataclasses import dataclass

from hub.kv_cost import FREE, KvCost


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Limits of the engine.

    max_running: sequences that prefill or decode at once (`--batch`).
    max_waiting: sequences that may wait beyond those; one more is refused.
    max_mixed_prefill_tokens: prompt tokens of one step while any sequence decodes; all of
        one prompt. It bounds the pause that prompts put between two tokens of a stream.
    max_prefill_tokens: prompt tokens of one step while nothing decodes.
    kv_cost: what the keys and values of one sequence take; the engine sets its runner's.
    kv_budget_bytes: what those of all sequences that hold a place may come to, each as long
        as it can get (`--kv-budget`); None for no limit.
    """

    max_running: int = 8
    max_waiting: int = 64
    max_mixed_prefill_tokens: int = 512
    max_prefill_tokens: int = 2048
    kv_cost: KvCost = FREE
    kv_budget_bytes: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_running", "max_mixed_prefill_tokens", "max_prefill_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")
        if self.max_waiting < 0:
            raise ValueError("max_waiting must be at least 0")
