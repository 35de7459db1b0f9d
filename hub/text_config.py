"""The language model's part of a `config.json`, read by key.

Families name the same fact differently, nest it, or leave it to their class's defaults;
this file knows that, so that `hub.shape` need not.
"""

from collections.abc import Mapping
from typing import Any

from hub.errors import BrokenModel

# Published configs that leave keys to the defaults of the model class (transformers'
# and mlx-lm's agree on these).
FAMILY_DEFAULTS: dict[str, dict[str, Any]] = {
    "gemma3_text": {
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "sliding_window_pattern": 6,
        "max_position_embeddings": 131072,
    },
    "gemma4_text": {
        "head_dim": 256,
        "global_head_dim": 512,
        "sliding_window_pattern": 5,
        "max_position_embeddings": 131072,
    },
}


# Beyond any model of today; larger numbers are nonsense that could fill the memory.
MAX_VALUE = 2**40


def model_type(config: Mapping[str, Any]) -> str:
    """The architecture's name; "" where the config has none."""
    value = config.get("model_type")
    return value if isinstance(value, str) else ""


def words(value: object) -> list[str]:
    """A word, or a list of words, as a list; empty for anything else."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


class TextConfig:
    """Keys of the language model, whether or not the config nests it under `text_config`."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        nested = config.get("text_config")
        own = nested if isinstance(nested, Mapping) else config
        self.model_type = model_type(own) or model_type(config)
        defaults = FAMILY_DEFAULTS.get(self.model_type, {})
        stated = {key: value for key, value in own.items() if value is not None}
        self._values: dict[str, Any] = {**defaults, **stated}

    def get(self, *keys: str) -> int:
        """The first of these keys that holds a positive whole number; 0 when none does."""
        for key in keys:
            value = self._values.get(key)
            if type(value) is int and 0 < value <= MAX_VALUE:
                return value
        return 0

    def need(self, *keys: str) -> int:
        """As `get`, but raises BrokenModel when no key holds one."""
        value = self.get(*keys)
        if not value:
            raise BrokenModel(f"its config.json does not say {keys[0]}")
        return value

    def names(self, key: str) -> list[str]:
        """A list of words, such as the kind of each layer; empty when absent."""
        return words(self._values.get(key))
