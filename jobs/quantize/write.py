"""Writes the quantized model's folder, one piece of the source after the other."""

from collections import Counter
from pathlib import Path

from jobs.quantize.checkpoint import open_checkpoint
from jobs.quantize.model_files import copy_side_files, write_config
from jobs.quantize.plan import Plan
from jobs.quantize.progress import Tell
from jobs.quantize.shards import ShardWriter
from jobs.quantize.subject import Subject


def write_model(subject: Subject, plan: Plan, group_size: int, folder: Path, tell: Tell) -> int:
    """Write all but the card into an empty folder; return the bytes of its weights.

    tell: called with the share of pieces that are done. Raises QuantizeError, OSError.
    """
    checkpoint = open_checkpoint(subject.path)
    writer = ShardWriter(folder)
    steps = subject.steps(plan)
    for number, piece in enumerate(checkpoint.pieces, start=1):
        for step in steps:
            step(piece)
        for name, array in piece.parameters():
            writer.add(name, array)
        if piece.path:
            piece.module.clear()
        tell(number / len(checkpoint.pieces))
    writer.close()
    write_config(
        folder / "config.json",
        subject.config,
        plan,
        bits=most_common_bits(plan),
        group_size=group_size,
        dtype=str(subject.dtype).rpartition(".")[2],
    )
    copy_side_files(subject.path, folder)
    return writer.written_bytes


def most_common_bits(plan: Plan) -> int:
    """The width that most modules have, which stands for the model."""
    return Counter(width.bits for width in plan.values()).most_common(1)[0][0]
