"""Entries of the SSD cache without a model: headers, and tensors that are bytes at once."""

from dataclasses import dataclass, field

from inference.engine.cache.ssd.config import Origin
from inference.engine.cache.ssd.header import EntryHeader, TensorSpec
from inference.engine.cache.ssd.spill_queue import Reason, Spill

ORIGIN = Origin("tiny", "0123456789abcdef", "tokens", "bf16", "test 1")


@dataclass
class PackedBytes:
    """Tensors of equal bytes, one for each layer. taken: which were asked for."""

    tensors: list[bytes]
    copied: bool = False
    taken: list[int] = field(default_factory=list)

    def take(self, index: int) -> bytes:
        self.taken.append(index)
        return self.tensors[index]

    def copy_all(self) -> None:
        self.copied = True


def make_header(tokens, *, namespace="", can_trim=True, sizes=(64, 32), origin=ORIGIN):
    return EntryHeader(
        origin=origin,
        namespace=namespace,
        tokens=list(tokens),
        can_trim=can_trim,
        created=1.5,
        layers=[{"kind": "KVCache", "attributes": {"offset": len(tokens)}}],
        tensors=tuple(TensorSpec(f"{i}.keys", "U8", (size,), size) for i, size in enumerate(sizes)),
    )


def make_spill(tokens, *, reason=Reason.SNAPSHOT, path=None, **fields) -> Spill:
    header = make_header(tokens, **fields)
    packed = PackedBytes([bytes([i + 1]) * spec.nbytes for i, spec in enumerate(header.tensors)])
    return Spill(header, packed, reason, path)
