import mlx.core as mx
import numpy as np
import pytest

from jobs.finetune.training.optimizer import Optimizer, Weights

A, B = "model.layers.0.q.lora_a", "model.layers.0.q.lora_b"


def weights() -> Weights:
    return {A: mx.array([[1.0, -2.0]]), B: mx.array([[0.5], [4.0]])}


def gradients() -> Weights:
    return {A: mx.array([[3.0, 0.0]]), B: mx.array([[0.0], [4.0]])}


def optimizer(*, decay: float = 0.0, ratio: float = 1.0, clip: float = 0.0) -> Optimizer:
    made = Optimizer(weights(), weight_decay=decay, ratio=ratio, clip=clip)
    made.set_learning_rate(0.1)
    return made


def test_it_is_adamw_as_published() -> None:
    made, found = optimizer(decay=0.2), weights()
    for _ in range(3):
        found = made.updated(found, gradients())

    for path, start in weights().items():
        w, g = np.array(start, np.float64), np.array(gradients()[path], np.float64)
        m = v = np.zeros_like(w)
        for step in range(1, 4):
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            corrected = (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
            w = w - 0.1 * (corrected + 0.2 * w)
        assert np.array(found[path]) == pytest.approx(w, rel=1e-5)


def test_weight_decay_pulls_towards_zero() -> None:
    still = {path: mx.zeros(weight.shape) for path, weight in weights().items()}

    decayed = optimizer(decay=0.5).updated(weights(), still)

    assert np.array(decayed[A]) == pytest.approx(np.array(weights()[A]) * 0.95)


def test_b_moves_faster_by_the_ratio() -> None:
    plain = optimizer().updated(weights(), gradients())
    faster = optimizer(ratio=16).updated(weights(), gradients())

    assert mx.array_equal(plain[A], faster[A]).item()
    moved, moved_faster = (new[B] - weights()[B] for new in (plain, faster))
    assert np.array(moved_faster) == pytest.approx(np.array(moved) * 16, rel=1e-4)


def test_a_long_gradient_is_cut_to_length() -> None:
    made = optimizer(clip=1.0)

    made.updated(weights(), gradients())

    # Of length 5 in all; a first moment is a tenth of its gradient.
    moment = made.arrays()[f"lora_a|{A}|m"]
    assert np.array(moment) == pytest.approx(np.array([[0.06, 0.0]]), rel=1e-4)


def test_a_short_gradient_is_left_alone() -> None:
    clipped, plain = (optimizer(clip=c).updated(weights(), gradients()) for c in (100.0, 0.0))

    assert mx.array_equal(clipped[A], plain[A]).item()


def test_an_optimizer_goes_on_from_its_state() -> None:
    made = optimizer()
    found = made.updated(weights(), gradients())
    saved = {name: mx.array(np.array(array)) for name, array in made.arrays().items()}
    expected = made.updated(found, gradients())

    other = optimizer()
    other.restore(saved)

    again = other.updated(found, gradients())
    assert all(mx.array_equal(again[path], expected[path]).item() for path in expected)
