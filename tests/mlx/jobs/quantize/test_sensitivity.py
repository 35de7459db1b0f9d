"""Estimated harm, against divergence that is measured by quantizing one module alone."""

from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from jobs.quantize.checkpoint import open_checkpoint
from jobs.quantize.errors import QuantizeError
from jobs.quantize.measures import compare
from jobs.quantize.plan import Width
from jobs.quantize.sensitivity import SensitivitySweep
from jobs.quantize.steps import dequantize, quantize
from jobs.quantize.streaming import StreamedModel
from jobs.quantize.survey import Survey, survey
from tests.mlx.jobs.quantize.conftest import ROWS
from tests.plugins.tiny_configs import CONFIGS

Checkpoint = Callable[[str], Path]


def sweep(path: Path, widths: list[int]) -> tuple[Survey, dict[str, dict[int, float]]]:
    surveyed = survey(open_checkpoint(path), 32, None, None)
    model = StreamedModel(path, [dequantize])
    return surveyed, SensitivitySweep(model, surveyed.targets, widths).run(ROWS, lambda share: None)


@pytest.mark.parametrize("kind", CONFIGS)
def test_every_module_of_every_architecture_has_harm_that_falls_with_its_width(
    tiny_checkpoint: Checkpoint, kind: str
) -> None:
    surveyed, harm = sweep(tiny_checkpoint(kind), [3, 8])

    assert harm.keys() == surveyed.targets.keys()
    for name, by_bits in harm.items():
        assert by_bits[3] > 10 * by_bits[8] > 0, name


@pytest.mark.parametrize("kind", ["llama", "gemma4_text"])
def test_estimated_harm_ranks_modules_as_measured_divergence_does(
    tiny_checkpoint: Checkpoint, tmp_path: Path, kind: str
) -> None:
    path = tiny_checkpoint(kind)
    surveyed, harm = sweep(path, [4])
    names = sorted(harm)[::3]

    def quantized(name: str) -> Callable[[], StreamedModel]:
        plan = {name: Width(4, surveyed.targets[name].group_size)}
        return lambda: StreamedModel(path, [quantize(plan), dequantize])

    measured = compare(
        lambda: StreamedModel(path, []),
        {name: quantized(name) for name in names},
        ROWS,
        tmp_path,
        lambda share: None,
    ).measures

    estimates = np.log([harm[name][4] for name in names])
    truths = np.log([measured[name].kl for name in names])
    assert np.corrcoef(estimates, truths)[0, 1] > 0.8
    assert abs(np.median(estimates - truths)) < np.log(2.5)


def test_measuring_twice_gives_the_same_figures(tiny_checkpoint: Checkpoint) -> None:
    assert sweep(tiny_checkpoint("llama"), [4])[1] == sweep(tiny_checkpoint("llama"), [4])[1]


def test_progress_grows_to_the_end(tiny_checkpoint: Checkpoint) -> None:
    path = tiny_checkpoint("llama")
    told: list[float] = []
    surveyed = survey(open_checkpoint(path), 32, None, None)

    SensitivitySweep(StreamedModel(path, []), surveyed.targets, [4]).run(ROWS * 2, told.append)

    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)


def test_a_layer_without_a_gradient_is_told(
    tiny_checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_named: object) -> object:
        def call(*_arguments: object) -> object:
            raise ValueError("[Primitive::vjp] not implemented")

        return call

    path = tiny_checkpoint("llama")
    targets = survey(open_checkpoint(path), 32, None, None).targets
    monkeypatch.setattr(mx, "grad", refuse)

    with pytest.raises(QuantizeError, match="leave target_bpw out"):
        SensitivitySweep(StreamedModel(path, []), targets, [4]).run(ROWS, lambda share: None)
