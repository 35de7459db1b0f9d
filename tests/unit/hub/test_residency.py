"""What a checkpoint takes in memory, against figures worked out by hand and the engine's policy."""

import pytest

from hub.machine import Device
from hub.residency import Residency, residency
from hub.weights import Part, Weights
from inference.engine import backend

# 1,000 weights of 4 bits in groups of 50, so 20 scales and 20 offsets; 100 plain ones.
WHOLE = Part(
    stored_bytes=500 + 80 + 200,
    packed_bytes=500,
    packed_elements=1000,
    scale_elements=40,
    plain_elements=100,
)
EXPERTS = Part(stored_bytes=100 + 16, packed_bytes=100, packed_elements=200, scale_elements=8)
QUANTIZED = Weights(WHOLE, EXPERTS)
PLAIN = Weights(Part(stored_bytes=2000, plain_elements=1000), Part())


@pytest.mark.parametrize(
    ("device", "usable", "expected"),
    [
        (Device.METAL, 10**6, Residency(780, 116, 2)),
        # 1,100 numbers of 4 bytes, and of 2.
        (Device.CPU, 10**6, Residency(4400, 800, 4)),
        (Device.CUDA, 10**6, Residency(2200, 400, 2)),
        # Not enough room to expand: packed weights, and 140 numbers of 4 bytes, and of 2.
        (Device.CPU, 4399, Residency(500 + 560, 100 + 32, 4)),
        (Device.CUDA, 2199, Residency(500 + 280, 100 + 16, 2)),
    ],
)
def test_quantized_weights_take_what_the_device_makes_of_them(
    device: Device, usable: int, expected: Residency
) -> None:
    assert residency(QUANTIZED, device, usable) == expected


@pytest.mark.parametrize(
    ("device", "expected"), [(Device.METAL, 2000), (Device.CPU, 4000), (Device.CUDA, 2000)]
)
def test_plain_weights_take_the_devices_own_type(device: Device, expected: int) -> None:
    assert residency(PLAIN, device, usable_bytes=0).weight_bytes == expected


@pytest.mark.parametrize("device", list(Device))
@pytest.mark.parametrize("usable", [1500, 3000, 10**6])
@pytest.mark.parametrize("weights", [QUANTIZED, PLAIN], ids=["quantized", "plain"])
def test_the_engine_decides_alike(device: Device, usable: int, weights: Weights) -> None:
    whole = weights.whole
    elements = whole.packed_elements + whole.plain_elements
    facts = backend.BackendFacts(
        backend.Device(device), weights.whole.packed_elements > 0, elements, usable
    )

    choice = backend.choose_backend(facts, backend.WeightsOption.AUTO)

    number = {"float32": 4, "bfloat16": 2, None: None}[choice.dtype]
    taken = residency(weights, device, usable).weight_bytes
    if number is None:
        assert taken == whole.stored_bytes
    elif choice.dense:
        assert taken == elements * number
    else:
        assert taken < elements * number
