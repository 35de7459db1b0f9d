import mlx.core as mx
import pytest

from jobs.finetune.training.likeness import EXACT, ROUNDED, is_alike

LOGITS = mx.random.normal((1, 264, 259), key=mx.random.key(0)) * 5


@pytest.mark.parametrize("kind", [mx.float32, mx.bfloat16, mx.float16])
def test_rounding_makes_no_difference(kind: mx.Dtype) -> None:
    noise = 1 + 0.01 * mx.random.normal(LOGITS.shape, key=mx.random.key(1))

    assert is_alike((LOGITS * noise).astype(kind), LOGITS, within=ROUNDED)


def test_other_logits_are_told_apart() -> None:
    capped = mx.tanh(LOGITS / 10) * 10

    assert not is_alike(capped, LOGITS, within=ROUNDED)
    assert not is_alike(LOGITS * 1.1, LOGITS, within=ROUNDED)
    assert not is_alike(LOGITS[:, ::-1], LOGITS, within=ROUNDED)
    assert not is_alike(LOGITS[:, :-1], LOGITS, within=ROUNDED)


def test_the_same_operations_leave_less_room() -> None:
    assert is_alike(LOGITS * 1.0005, LOGITS, within=EXACT)
    assert not is_alike(LOGITS * 1.01, LOGITS, within=EXACT)


def test_what_is_no_number_is_like_nothing() -> None:
    assert not is_alike(LOGITS * float("nan"), LOGITS, within=ROUNDED)
