"""How a served model keeps its keys and values: one scheme for every request.

Whoever needs layer caches of the served model asks the scheme for them. Its name tells
caches kept elsewhere, by this process or an earlier one, from those of other schemes.
"""

from dataclasses import dataclass
from typing import Any

from mlx_lm.models.cache import make_prompt_cache


@dataclass(frozen=True, slots=True)
class KvScheme:
    """Thread: engine only, but for the fields.

    name: `bf16`, whatever floating type that is on the device.
    batches: whether rows may share steps as far as the scheme goes; the model's own caches
        and attention may forbid it still.
    """

    name: str
    batches: bool

    def make_caches(self, model: Any) -> list[Any]:
        """Return the empty layer caches of one sequence, in the order of the model's layers."""
        caches: list[Any] = make_prompt_cache(model)
        return caches


BF16 = KvScheme("bf16", batches=True)
