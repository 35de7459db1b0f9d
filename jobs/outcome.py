"""What a job leaves when it is done."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """output_dir: the folder of the result, if there is one. summary: figures for people, JSON."""

    output_dir: str | None = None
    summary: dict[str, Any] = field(default_factory=dict)
