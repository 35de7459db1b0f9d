"""What the weight files of a model folder hold, added up from their headers.

How much of it lies in memory depends on how a device keeps it: `hub.residency`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

from hub.errors import BrokenModel
from hub.model_files import open_file
from hub.shards import missing_shard
from hub.tensors import TensorInfo, read_header

INDEX_FILE = "model.safetensors.index.json"
WEIGHT_PATTERN = "model*.safetensors"  # what mlx-lm loads; other files are sidecars
# Experts as Hugging Face names them, and as mlx-lm does after stacking them.
EXPERT_MARKS = (".experts.", ".switch_mlp.")
SCALE_ENDINGS = (".scales", ".biases")  # of a quantized module, beside its packed weight
# Names of towers that turn pictures or sound into what the language model reads.
VISION_MARK = re.compile(r"vision|visual|image_")
AUDIO_MARK = re.compile(r"audio")

MAX_INDEX_BYTES = 32 * 2**20
MAX_FILES = 500
MAX_TENSORS = 300_000
_TEXT_VALUE = re.compile(rb':\s*+"((?:[^"\\]++|\\.)*+)"', re.DOTALL)

# Bits of one number, by the header's word for its type.
FLOAT_BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16, "F8_E4M3": 8, "F8_E5M2": 8}


@dataclass(frozen=True, slots=True)
class Part:
    """Sizes of some tensors.

    stored_bytes: all of them, as they lie in the files.
    packed_bytes, packed_elements: packed integers, and the weights that they stand for.
    scale_elements: scales and offsets that unpack them. plain_elements: everything else.
    """

    stored_bytes: int = 0
    packed_bytes: int = 0
    packed_elements: int = 0
    scale_elements: int = 0
    plain_elements: int = 0

    def __add__(self, other: Self) -> "Part":
        return Part(
            self.stored_bytes + other.stored_bytes,
            self.packed_bytes + other.packed_bytes,
            self.packed_elements + other.packed_elements,
            self.scale_elements + other.scale_elements,
            self.plain_elements + other.plain_elements,
        )


@dataclass(frozen=True, slots=True)
class Weights:
    """All weight files together.

    whole: every tensor; experts: those of them in experts, of which a token reads a few.
    sees, hears: whether there are tensors of a vision or audio tower.
    """

    whole: Part
    experts: Part
    sees: bool = False
    hears: bool = False


def read_weights(folder: Path, bits: Mapping[str, int]) -> Weights:
    """Add up the weight files of `folder`.

    bits: width of packed weights by module name, and under "" of all others.
    Raises BrokenModel when one is missing or is not what it should be.
    """
    whole, experts = Part(), Part()
    seen: set[str] = set()
    sees = hears = False
    for file in _weight_files(folder):
        for name, tensor in read_header(file).items():
            if name in seen:
                continue
            seen.add(name)
            part = _measure(name, tensor, bits)
            whole += part
            if any(mark in name for mark in EXPERT_MARKS):
                experts += part
            sees = sees or VISION_MARK.search(name) is not None
            hears = hears or AUDIO_MARK.search(name) is not None
        if len(seen) > MAX_TENSORS:
            raise BrokenModel(f"it has more than {MAX_TENSORS:,} tensors")
    return Weights(whole, experts, sees, hears)


def _weight_files(folder: Path) -> list[Path]:
    names = set()
    found = (file.name for file in folder.glob(WEIGHT_PATTERN))
    # A download under way has the index, and not yet every shard that it names.
    for name in chain(found, _indexed_files(folder / INDEX_FILE)):
        names.add(name)
        if len(names) > MAX_FILES:
            raise BrokenModel(f"it has more than {MAX_FILES:,} weight files")
    if not names:
        raise BrokenModel(_why_no_weights(folder))
    if not (folder / INDEX_FILE).is_file() and (missing := missing_shard(names)):
        raise BrokenModel(f"{missing} is missing")
    return [folder / name for name in sorted(names)]


def _indexed_files(index: Path) -> Iterator[str]:
    """Yield the names of files in an index, which maps every tensor to one.

    A pattern finds them: parsed, the index of a large model is many times its size.
    """
    if not index.is_file():
        return
    try:
        with open_file(index) as file:
            text = file.read(MAX_INDEX_BYTES + 1)
    except OSError as error:
        raise BrokenModel(f"it has no readable {index.name}") from error
    if len(text) > MAX_INDEX_BYTES:
        raise BrokenModel(f"its {index.name} is larger than {MAX_INDEX_BYTES:,} bytes")
    for found in _TEXT_VALUE.finditer(text):
        name = found[1].decode(errors="replace")
        if not name.endswith(".safetensors"):
            continue
        if Path(name).name != name:
            raise BrokenModel(f"its {index.name} names a file outside the folder")
        yield name


def _why_no_weights(folder: Path) -> str:
    for ending, kind in ((".gguf", "GGUF"), (".bin", "PyTorch"), (".pth", "PyTorch")):
        if any(file.suffix == ending for file in folder.iterdir()):
            return f"it holds {kind} weights only; mlx-lm loads {WEIGHT_PATTERN}"
    return f"it has no {WEIGHT_PATTERN}"


def _measure(name: str, tensor: TensorInfo, bits: Mapping[str, Any]) -> Part:
    size = tensor.size_bytes
    width = FLOAT_BITS.get(tensor.dtype)
    if width is None:
        module = name.removesuffix(".weight")
        # Integers that nobody quantized (position ids, masks) count as bytes.
        packed_width = bits.get(module) or bits.get("") or 8
        return Part(size, packed_bytes=size, packed_elements=size * 8 // packed_width)
    elements = size * 8 // width
    if name.endswith(SCALE_ENDINGS):
        return Part(size, scale_elements=elements)
    return Part(size, plain_elements=elements)
