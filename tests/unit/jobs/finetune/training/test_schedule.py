import math

import pytest

from jobs.finetune.config import Schedule, read_config
from jobs.finetune.training.schedule import LearningRate


def rates(rate: LearningRate) -> list[float]:
    return [rate.at(update) for update in range(rate.updates)]


def test_a_constant_rate_stays() -> None:
    assert rates(LearningRate(0.1, 4, 0, Schedule.CONSTANT)) == [0.1] * 4


def test_a_cosine_falls_from_the_peak_towards_zero() -> None:
    found = rates(LearningRate(1.0, 4, 0, Schedule.COSINE))

    assert found == pytest.approx([1, 0.5 + math.sqrt(0.5) / 2, 0.5, 0.5 - math.sqrt(0.5) / 2])


def test_a_warm_up_rises_in_even_steps_and_never_stands_still() -> None:
    found = rates(LearningRate(1.0, 6, 3, Schedule.CONSTANT))

    assert found == pytest.approx([0.25, 0.5, 0.75, 1, 1, 1])


def test_the_fall_begins_when_the_rise_is_over() -> None:
    found = rates(LearningRate(1.0, 4, 2, Schedule.COSINE))

    assert found == pytest.approx([1 / 3, 2 / 3, 1, 0.5])


def test_a_warm_up_in_iterations_counts_in_updates() -> None:
    fields = {"method": "dpo", "iters": 20, "dpo_warmup_iters": 5, "grad_accumulation_steps": 4}
    config = read_config({"model_dir": "m", "data_dir": "d", "adapter_path": "a", **fields})

    assert LearningRate.of(config) == LearningRate(5e-5, 5, 2, Schedule.COSINE)
