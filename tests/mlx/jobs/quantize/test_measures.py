from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from jobs.quantize import measures as module
from jobs.quantize.checkpoint import Piece, open_checkpoint
from jobs.quantize.measures import compare, scratch_bytes
from jobs.quantize.streaming import StreamedModel
from tests.mlx.jobs.quantize.conftest import ROWS

Checkpoint = Callable[[str], Path]


def noisy(piece: Piece) -> None:
    """A step that changes every matrix a little, and always alike."""
    piece.assign(
        (name, array + 0.02 * mx.random.normal(array.shape, key=mx.random.key(len(name))))
        for name, array in piece.parameters()
        if array.ndim > 1
    )


def by_hand(path: Path) -> tuple[float, float, float]:
    """Divergence, agreement and perplexity in float64, from whole models."""

    def logprobs(*steps: Callable[[Piece], None]) -> np.ndarray:
        opened = open_checkpoint(path)
        for piece in opened.pieces:
            for step in steps:
                step(piece)
        logits = np.array(opened.model(mx.array(ROWS)), dtype=np.float64)
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True))

    expected, found = logprobs(), logprobs(noisy)
    kl = (np.exp(expected) * (expected - found)).sum(-1).mean()
    agreement = (expected.argmax(-1) == found.argmax(-1)).mean()
    tokens = np.array(ROWS)
    loss = -np.take_along_axis(found[:, :-1], tokens[:, 1:, None], -1).mean()
    return float(kl), float(agreement), float(np.exp(loss))


@pytest.mark.parametrize("pass_bytes", [1, 10**9])
def test_figures_are_those_of_float64_however_rows_are_grouped(
    tiny_checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pass_bytes: int
) -> None:
    monkeypatch.setattr(module, "PASS_BYTES", pass_bytes)
    path = tiny_checkpoint("llama")
    told: list[float] = []

    compared = compare(
        lambda: StreamedModel(path, []),
        {"same": lambda: StreamedModel(path, []), "noisy": lambda: StreamedModel(path, [noisy])},
        ROWS,
        tmp_path,
        told.append,
    )

    kl, agreement, perplexity = by_hand(path)
    same, other = compared.measures["same"], compared.measures["noisy"]
    assert same.kl == pytest.approx(0, abs=1e-6)
    assert same.agreement == 1
    assert same.perplexity == pytest.approx(compared.reference_perplexity)
    assert other.kl == pytest.approx(kl, rel=1e-3)
    assert other.agreement == pytest.approx(agreement)
    assert other.perplexity == pytest.approx(perplexity, rel=1e-4)
    assert compared.tokens == sum(map(len, ROWS))
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)


def test_what_is_written_meanwhile_is_as_large_as_announced(
    tiny_checkpoint: Checkpoint, tmp_path: Path
) -> None:
    path = tiny_checkpoint("llama")

    compare(lambda: StreamedModel(path, []), {}, ROWS, tmp_path, lambda share: None)

    written = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert written == pytest.approx(scratch_bytes(ROWS, 259), rel=0.01)
