"""What the operator decides of synthesis, as one value; `mlxsite.settings` makes it."""

from dataclasses import dataclass

from memory.synthesis.conversations import Source


@dataclass(frozen=True, slots=True)
class SynthesisConfig:
    """sources: what is ingested. batch: how many questions may be asked at once, at least 1."""

    sources: tuple[Source, ...]
    batch: int = 1
