"""A model folder's own choice of bits for the keys and values of each layer.

`kv_config.json` is a list, as mlx-optiq writes it:

    [{"layer_idx": 0, "bits": 8, "group_size": 64}, {"layer_idx": 3, "bits": 4}]

`layer_idx` counts the model's layers from 0, `bits` are those of a number, and `group_size`
numbers share a scale, 64 if nothing is said. Layers that are not named stay as they are.
"""

from pathlib import Path
from typing import Any, NamedTuple

from hub.errors import BrokenModel, KvQuantRefused
from hub.model_files import read_json

FILE_NAME = "kv_config.json"
_BITS = (2, 4, 8)
_GROUP_SIZES = (32, 64, 128)


class LayerBits(NamedTuple):
    """Affine codes of one layer."""

    bits: int
    group_size: int


def read_kv_config(folder: Path, layer_count: int) -> dict[int, LayerBits] | None:
    """Return the bits of the layers that the file names; None if the folder has none.

    layer_count: layers of the model that hold keys and values, or a state.
    Raises KvQuantRefused for a file that says anything else than the above.
    """
    path = folder / FILE_NAME
    if not path.exists():
        return None
    try:
        rows = read_json(path)
    except BrokenModel as error:
        raise _refused(str(error)) from error
    if not isinstance(rows, list) or not rows:
        raise _refused(f"{FILE_NAME} is not a list with an object for each layer")
    chosen: dict[int, LayerBits] = {}
    for row in rows:
        index, bits = _read_row(row, layer_count)
        if index in chosen:
            raise _refused(f"{FILE_NAME} names layer {index} twice")
        chosen[index] = bits
    return chosen


def _read_row(row: Any, layer_count: int) -> tuple[int, LayerBits]:
    if not isinstance(row, dict):
        raise _refused(f"{FILE_NAME} holds {row!r:.40}, which is not an object")
    index = _whole(row, "layer_idx")
    if not 0 <= index < layer_count:
        raise _refused(
            f"{FILE_NAME} names layer {index}, but the layers of this model that keep anything "
            f"go from 0 to {layer_count - 1}"
        )
    bits, group_size = _whole(row, "bits"), _whole(row, "group_size", 64)
    for name, value, allowed in (
        ("bits", bits, _BITS),
        ("group_size", group_size, _GROUP_SIZES),
    ):
        if value not in allowed:
            listed = ", ".join(map(str, allowed))
            raise _refused(f"{FILE_NAME} gives layer {index} {name} of {value}, not of {listed}")
    return index, LayerBits(bits, group_size)


def _whole(row: dict[str, Any], name: str, default: int | None = None) -> int:
    value = row.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _refused(f"{FILE_NAME} holds {row!r:.60}, without a whole number as '{name}'")
    return value


def _refused(what: str) -> KvQuantRefused:
    return KvQuantRefused(f"{what}; correct the file, or serve with --kv-quant off")
