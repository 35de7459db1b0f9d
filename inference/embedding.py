"""What is asked of an embedding model, and what comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """Texts to turn into vectors.

    texts: at least one, none of them empty.
    instruction: what the texts are compared for, as the model is told ahead of each; None tells
        it nothing, as for documents that are searched.
    dimensions: how many numbers of each vector to keep, at least one; None keeps all.
    """

    texts: tuple[str, ...]
    instruction: str | None = None
    dimensions: int | None = None


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors of texts.

    vectors: one for each text, in order; float32 numbers, of unit length.
    num_tokens: of all texts, with their instructions.
    model_id: of the model that made them.
    """

    vectors: Sequence[Sequence[float]]
    num_tokens: int
    model_id: str = ""
