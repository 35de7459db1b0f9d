"""How the engine is set up: decided once, before it starts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Limits of the engine.

    max_running: sequences that prefill or decode at once (`--batch`).
    max_waiting: sequences that may wait beyond those; one more is refused.
    max_mixed_prefill_tokens: prompt tokens of one step while any sequence decodes; all of
        one prompt. It bounds the pause that prompts put between two tokens of a stream.
    max_prefill_tokens: prompt tokens of one step while nothing decodes.
    """

    max_running: int = 8
    max_waiting: int = 64
    max_mixed_prefill_tokens: int = 512
    max_prefill_tokens: int = 2048

    def __post_init__(self) -> None:
        for name in ("max_running", "max_mixed_prefill_tokens", "max_prefill_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")
        if self.max_waiting < 0:
            raise ValueError("max_waiting must be at least 0")
