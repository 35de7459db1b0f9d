"""Rows of token ids as arrays: padded at the end, with a mask of the predictions that count."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np

PAD_TO = 32  # few widths mean few traces of the compiled step


@dataclass(frozen=True, slots=True)
class Batch:
    """What one iteration reads.

    arrays: a tree of arrays, as the objective's loss takes it. count: what the sum of losses is
    divided by. tokens: how many are read, padding left out.
    """

    arrays: Any
    count: int
    tokens: int


def pad(rows: Sequence[Sequence[int]], starts: Sequence[int]) -> tuple[mx.array, mx.array]:
    """Return tokens (B, L + 1) and mask (B, L), float32.

    starts: by row the first token whose prediction counts. Place i of the mask belongs to the
    prediction of token i + 1.
    """
    width = PAD_TO * -(-max(map(len, rows)) // PAD_TO) + 1
    tokens = np.zeros((len(rows), width), np.int32)
    mask = np.zeros((len(rows), width - 1), np.float32)
    for place, (row, start) in enumerate(zip(rows, starts, strict=True)):
        tokens[place, : len(row)] = row
        mask[place, max(start, 1) - 1 : len(row) - 1] = 1
    return mx.array(tokens), mx.array(mask)
