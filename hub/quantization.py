"""How the weights of a checkpoint are quantized, as its `config.json` says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Formats whose name alone says width and group; the keys of mlx-lm's loader.
_FIXED = {"mxfp4": (4, 32), "mxfp8": (8, 32), "nvfp4": (4, 16)}
# Methods that mlx-lm reads; fp8 is expanded by the model files that know it.
LOADABLE = frozenset(
    {"awq", "bitnet", "compressed-tensors", "fp8", "gptq", "modelopt", "mxfp4", "mxfp8"}
)


@dataclass(frozen=True, slots=True)
class Quantization:
    """bits: the width most layers have; group_size: weights that share a scale, if it says."""

    bits: int
    group_size: int | None


def read_quantization(config: Mapping[str, Any]) -> Quantization | None:
    """The quantization that most layers have; None for weights that have none."""
    for section in _sections(config):
        named = section.get("mode") or section.get("quant_method")
        bits, group_size = _FIXED.get(named if isinstance(named, str) else "", (None, None))
        stated = _width(section.get("bits")) or bits
        if stated:
            return Quantization(stated, _width(section.get("group_size")) or group_size)
    return None


def widths(config: Mapping[str, Any]) -> dict[str, int]:
    """Bits of packed weights by module, as mixed checkpoints list them; "" for all others."""
    quantization = read_quantization(config)
    found = {"": quantization.bits} if quantization else {}
    for section in _sections(config):
        for module, own in section.items():
            if isinstance(own, Mapping) and (bits := _width(own.get("bits"))):
                found[module] = bits
    return found


def is_loadable(config: Mapping[str, Any]) -> bool:
    """Whether mlx-lm reads weights quantized like this."""
    if isinstance(config.get("quantization"), Mapping):
        return True
    methods = [section.get("quant_method") for section in _sections(config)]
    return all(isinstance(method, str) and method in LOADABLE for method in methods)


def _sections(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    text = config.get("text_config")
    nested = text.get("quantization_config") if isinstance(text, Mapping) else None
    sections = [config.get("quantization"), config.get("quantization_config"), nested]
    return [section for section in sections if isinstance(section, Mapping)]


def _width(value: object) -> int | None:
    return value if type(value) is int and 0 < value <= 2**16 else None
