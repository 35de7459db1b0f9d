"""Chooses the scheme that `--kv-quant` asks for, if the model can be served so.

Facts about the model's caches come from a few tokens run through it, not from its config:
what mlx-lm makes of the config is what counts.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, KVCache

from hub.errors import KvQuantRefused
from inference.engine.cache.kv_config import FILE_NAME, LayerBits, read_kv_config
from inference.engine.cache.quantized.rotation import DIMENSIONS
from inference.engine.cache.scheme import BF16, PLAIN, STATE, KvScheme, LayerFormat, affine, turbo
from inference.engine.cache.trial import find_fault
from inference.kv_quant import KvQuant, KvQuantKind

logger = logging.getLogger(__name__)

_GROUP_SIZE = 64
_FINEST = 8  # bits of trials: what goes far off with so many is wrong, not coarse


class _Layer(NamedTuple):
    """A layer's cache as the model makes it.

    dimensions: numbers of a key and of a value of one head; None where they cannot be coded,
        as in a sliding window.
    """

    format: LayerFormat
    dimensions: tuple[int, int] | None


def choose_scheme(model: Any, asked: KvQuant, folder: Path) -> KvScheme:
    """Return how a loaded model keeps its keys and values. Thread: engine only.

    folder: the model's, where `config` finds its file.
    Raises KvQuantRefused where the model cannot be served as asked.
    """
    match asked.kind:
        case KvQuantKind.OFF:
            return BF16
        case KvQuantKind.UNIFORM:
            return _uniform(model, asked)
        case KvQuantKind.CONFIG:
            return _as_configured(model, asked, folder)
        case KvQuantKind.TURBO:
            return _turbo(model, asked)


def _uniform(model: Any, asked: KvQuant) -> KvScheme:
    bits, layers = asked.key_bits, _look_at(model)
    widths = dict.fromkeys(_codable(layers, asked), LayerBits(bits, _GROUP_SIZE))
    formats, _ = _code(model, layers, widths, asked)
    return KvScheme(f"kv{bits}", f"uniform-kv{bits}", batches=False, formats=formats)


def _as_configured(model: Any, asked: KvQuant, folder: Path) -> KvScheme:
    layers = _look_at(model)
    config = read_kv_config(folder, len(layers))
    if config is None:
        logger.warning("--kv-quant config: the model has no %s, so all layers stay bf16", FILE_NAME)
        return BF16
    widths = {index: bits for index, bits in config.items() if layers[index].dimensions}
    if len(widths) < len(config):
        logger.warning(
            "--kv-quant config: %d of the layers that %s names keep a window or a state and stay "
            "bf16; requests are served one at a time",
            len(config) - len(widths),
            FILE_NAME,
        )
    formats, reads_codes = _code(model, layers, widths, asked)
    batches = reads_codes and len(widths) == len(config)
    return KvScheme("config", f"mixed ({FILE_NAME})", batches=batches, formats=formats)


def _turbo(model: Any, asked: KvQuant) -> KvScheme:
    layers = _look_at(model)
    indices = _codable(layers, asked)
    for index in indices:
        for dimension in layers[index].dimensions or ():
            if dimension not in DIMENSIONS:
                listed = ", ".join(map(str, DIMENSIONS))
                raise _refused(
                    asked, f"layer {index} has heads of {dimension} numbers, not of {listed}"
                )
    finest = _formats(layers, dict.fromkeys(indices, turbo(_FINEST, _FINEST)))
    if fault := find_fault(model, _trial(finest)):
        raise _refused(asked, f"the model cannot use decoded keys and values ({fault})")
    chosen = turbo(asked.key_bits, asked.value_bits)
    mode = f"turbo k{asked.key_bits}v{asked.value_bits}"
    formats = _formats(layers, dict.fromkeys(indices, chosen))
    return KvScheme(chosen.name, mode, batches=False, formats=formats)


def _code(
    model: Any, layers: list[_Layer], widths: Mapping[int, LayerBits], asked: KvQuant
) -> tuple[tuple[LayerFormat, ...], bool]:
    """Return formats with affine codes, and whether the model's attention reads them.

    Where it does not, they are decoded for it.
    """
    for index, (_, group_size) in widths.items():
        for dimension in layers[index].dimensions or ():
            if dimension % group_size:
                raise _refused(
                    asked,
                    f"layer {index} has heads of {dimension} numbers, which groups of "
                    f"{group_size} do not divide",
                )
    faults = []
    for decoded in (False, True):
        finest = {
            index: affine(_FINEST, bits.group_size, decoded=decoded)
            for index, bits in widths.items()
        }
        fault = find_fault(model, _trial(_formats(layers, finest)))
        if fault is None:
            served = {index: affine(*bits, decoded=decoded) for index, bits in widths.items()}
            return _formats(layers, served), not decoded
        logger.info("attention reads no codes of keys and values: %s", fault)
        faults.append(fault)
    raise _refused(asked, f"the model's attention cannot use them ({'; '.join(faults)})")


def _codable(layers: list[_Layer], asked: KvQuant) -> list[int]:
    """Return the layers that can be quantized, and warn of the others; raises for none."""
    indices = [index for index, layer in enumerate(layers) if layer.dimensions]
    if not indices:
        raise _refused(asked, "no layer of this model keeps the keys and values of all tokens")
    if len(indices) < len(layers):
        logger.warning(
            "--kv-quant %s: %d of %d layers keep a window or a state and stay bf16",
            asked,
            len(layers) - len(indices),
            len(layers),
        )
    return indices


def _look_at(model: Any) -> list[_Layer]:
    """Run a few tokens and see what each layer keeps of them."""
    caches = BF16.make_caches(model)
    mx.eval(model(mx.array([[100, 101]]), cache=caches))
    return [_layer(cache) for cache in caches]


def _layer(cache: Any) -> _Layer:
    if isinstance(cache, ArraysCache):
        return _Layer(STATE, None)
    if type(cache) is KVCache and cache.keys is not None:
        return _Layer(PLAIN, (cache.keys.shape[-1], cache.values.shape[-1]))
    return _Layer(PLAIN, None)


def _formats(layers: list[_Layer], chosen: Mapping[int, LayerFormat]) -> tuple[LayerFormat, ...]:
    return tuple(chosen.get(index, layer.format) for index, layer in enumerate(layers))


def _trial(formats: tuple[LayerFormat, ...]) -> KvScheme:
    return KvScheme("trial", "trial", batches=False, formats=formats)


def _refused(asked: KvQuant, why: str) -> KvQuantRefused:
    return KvQuantRefused(
        f"this model cannot be served with --kv-quant {asked}: {why}; "
        "serve it with --kv-quant off, or serve another model"
    )
