"""Scores computed in less memory are those of the plain way, in value and in gradient."""

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest
from mlx.nn.utils import value_and_grad
from mlx.utils import tree_flatten

from jobs.finetune.data.encoder import Pair
from jobs.finetune.training import scoring
from jobs.finetune.training.orpo import Orpo
from jobs.finetune.training.pair_scores import Scheme, Shared, Stacked
from jobs.finetune.training.scoring import chunked, plain
from jobs.finetune.training.shared_prefix import can_share

PAIRS = [
    Pair((1, 2, 3, 4, 5), (6, 7, 8), (9, 10, 11, 12, 13, 14, 15)),
    Pair((1,), tuple(range(20, 60)), (3,)),
]
Load = Callable[..., Any]


def loss_and_gradient(model: Any, scheme: Scheme) -> tuple[float, dict[str, mx.array]]:
    orpo = Orpo(PAIRS, scheme, weight=0.5, whole=True)
    batch = orpo.collate([0, 1])
    value, gradient = value_and_grad(model, lambda: orpo.loss(model, batch.arrays)[0])()
    return value.item(), dict(tree_flatten(gradient))


def assert_alike(model: Any, one: Scheme, other: Scheme) -> None:
    (value, gradient), (expected, wanted) = (loss_and_gradient(model, s) for s in (one, other))
    assert value == pytest.approx(expected, rel=1e-4)
    assert gradient.keys() == wanted.keys()
    for path, array in gradient.items():
        assert mx.allclose(array, wanted[path], rtol=1e-3, atol=1e-4).item(), path


@pytest.mark.parametrize(("tokens", "by_words"), [(8, False), (0, True), (8, True), (1000, True)])
@pytest.mark.parametrize(
    "changes", [{}, {"tie_word_embeddings": True}, {"bits": 8}], ids=["head", "tied", "packed"]
)
def test_chunks_make_no_difference(
    tokens: int,
    by_words: bool,
    changes: dict[str, Any],
    adapted: Load,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scoring, "CHUNK_WORDS", 100)  # of 259
    model = adapted(**changes)
    scorer = chunked(model, tokens=tokens, by_words=by_words)

    assert scorer is not None
    assert_alike(model, Stacked(scorer), Stacked(plain(model)))


def test_no_more_logits_than_a_chunk_are_ever_made(
    adapted: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "CHUNK_WORDS", 100)
    model = adapted()
    scorer = chunked(model, tokens=8, by_words=True)
    assert scorer is not None
    sizes = []
    original = scoring.Head.__call__

    def watched(self: Any, states: mx.array, first: int = 0, end: int | None = None) -> mx.array:
        logits = original(self, states, first, end)
        sizes.append(logits.shape[1:])
        return logits

    monkeypatch.setattr(scoring.Head, "__call__", watched)
    scorer.logprobs(mx.zeros((2, 30), mx.int32))

    assert sizes
    assert all(tokens <= 8 and words <= 100 for tokens, words in sizes)


def test_a_model_that_caps_its_logits_is_not_taken_apart(adapted: Load) -> None:
    assert chunked(adapted("gemma2"), tokens=8, by_words=True) is None


@pytest.mark.parametrize("kind", ["llama", "qwen3", "experts"])
def test_a_shared_prompt_makes_no_difference(kind: str, adapted: Load) -> None:
    model = adapted(kind)
    scorer = chunked(model, tokens=8, by_words=False)

    assert scorer is not None
    assert can_share(model)
    assert_alike(model, Shared(scorer, len(model.layers)), Stacked(plain(model)))


@pytest.mark.parametrize("kind", ["sliding", "hybrid"])
def test_caches_that_forget_or_recur_are_not_shared(kind: str, adapted: Load) -> None:
    assert not can_share(adapted(kind))
