"""How keys and values are to be kept, by `--kv-quant`, and how they are."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Final

from hub.kv_cost import ElementBytes


class KvQuantKind(StrEnum):
    """How keys and values are quantized."""

    OFF = "off"
    UNIFORM = "uniform"  # every layer alike
    CONFIG = "config"  # as a file in the model folder says for each layer
    TURBO = "turbo"  # values rotated before


@dataclass(frozen=True, slots=True)
class KvQuant:
    """What `--kv-quant` asks for.

    key_bits, value_bits: bits of a number, equal where uniform; 0 where they mean nothing.
    """

    kind: KvQuantKind = KvQuantKind.OFF
    key_bits: int = 0
    value_bits: int = 0

    ALLOWED: ClassVar[str] = (
        "off, 4, 8, config or turbo, which takes bits of keys (2, 4, 5, 8) and of values "
        "(2, 3, 4, 5, 8): turbo:k8v3"
    )

    @classmethod
    def parse(cls, text: str) -> "KvQuant":
        """Read the option's value; raises ValueError for anything that is not allowed."""
        if text in ("off", "config"):
            return cls(KvQuantKind(text))
        if text in ("4", "8"):
            return cls(KvQuantKind.UNIFORM, int(text), int(text))
        if text == "turbo":
            return _DEFAULT_TURBO
        if found := re.fullmatch(r"turbo:k([2458])v([23458])", text):
            return cls(KvQuantKind.TURBO, *map(int, found.groups()))
        raise ValueError(text)

    def __str__(self) -> str:
        """Return the value as the option spells it."""
        if self.kind is KvQuantKind.UNIFORM:
            return str(self.key_bits)
        if self.kind is KvQuantKind.TURBO:
            return f"turbo:k{self.key_bits}v{self.value_bits}"
        return self.kind.value


_DEFAULT_TURBO: Final = KvQuant(KvQuantKind.TURBO, 8, 3)
OFF: Final = KvQuant()


@dataclass(frozen=True, slots=True)
class KvKept:
    """How a served model keeps its keys and values, in figures.

    mode: as the statistics name it. layers: how many keep them in which form.
    element_bytes: of one number, as memory is reckoned.
    """

    mode: str = "bf16"
    layers: Mapping[str, int] = field(default_factory=dict)
    element_bytes: ElementBytes = 0.0


NOTHING_KEPT: Final = KvKept()  # as by a scripted model
