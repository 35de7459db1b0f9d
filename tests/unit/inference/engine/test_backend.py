"""The backend policy: a table of facts and what follows from them."""

import pytest

from hub.density import WeightsOption
from inference.engine.backend import (
    BackendChoice,
    BackendFacts,
    Device,
    choose_backend,
)

AUTO, QUANTIZED, DENSE = WeightsOption.AUTO, WeightsOption.QUANTIZED, WeightsOption.DENSE


def choose(device, option=AUTO, *, quantized=True, elements=100, room_bytes=10**9):
    return choose_backend(BackendFacts(device, quantized, elements, room_bytes), option)


@pytest.mark.parametrize(
    ("device", "dtype"),
    [(Device.CPU, "float32"), (Device.CUDA, "bfloat16"), (Device.METAL, None)],
)
def test_each_device_has_its_type(device, dtype):
    assert choose(device).dtype == dtype
    assert choose(device, quantized=False).dtype == dtype


@pytest.mark.parametrize(
    ("device", "room_bytes", "dense"),
    [
        (Device.CPU, 400, True),
        (Device.CPU, 399, False),
        (Device.CUDA, 200, True),
        (Device.CUDA, 199, False),
        (Device.METAL, 10**9, False),
    ],
)
def test_quantized_weights_are_expanded_where_that_is_faster_and_fits(device, room_bytes, dense):
    assert choose(device, room_bytes=room_bytes).dense is dense


@pytest.mark.parametrize("device", list(Device))
def test_an_explicit_density_is_obeyed(device):
    assert choose(device, DENSE, room_bytes=1).dense
    assert not choose(device, QUANTIZED).dense


@pytest.mark.parametrize("device", list(Device))
@pytest.mark.parametrize("option", list(WeightsOption))
def test_dense_weights_stay_dense(device, option):
    choice = choose(device, option, quantized=False, room_bytes=1)

    assert choice.dense
    assert len(choice.reasons) == 1  # the type's alone: there was nothing to decide


@pytest.mark.parametrize("device", list(Device))
@pytest.mark.parametrize("option", list(WeightsOption))
def test_every_decision_about_density_is_explained(device, option):
    assert len(choose(device, option).reasons) == 2


def test_a_refusal_to_expand_names_both_sizes():
    reason = choose(Device.CPU, elements=2 * 10**9, room_bytes=5 * 10**9).reasons[-1]

    assert "8.0 GB dense" in reason
    assert "5.0 GB for weights" in reason


@pytest.mark.parametrize(
    ("choice", "label"),
    [
        (BackendChoice(Device.CPU, "float32", True, ()), "cpu, float32, weights dense"),
        (
            BackendChoice(Device.METAL, None, False, ()),
            "metal, checkpoint type, weights as stored",
        ),
    ],
)
def test_the_label_says_device_type_and_density(choice, label):
    assert choice.label == label
