"""What is known of a mounted adapter, on any thread."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MountedAdapter:
    """A mounted adapter without its arrays.

    digest: of its weights and scale. size_bytes: of its weights on disk.
    num_layers: layers of the model that it changes. ram_bytes: what its arrays take.
    """

    id: str
    path: Path
    rank: int
    scale: float
    digest: str
    size_bytes: int
    num_layers: int
    ram_bytes: int

    @property
    def identity(self) -> str:
        """Name and weights: another text once other weights are mounted under the name."""
        return f"{self.id}@{self.digest}"
