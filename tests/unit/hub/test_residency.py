"""What a checkpoint takes in memory, against figures worked out by hand and the engine's policy."""

import pytest

from hub.density import WeightsOption
from hub.machine import Device
from hub.residency import Residency, residency
from hub.shape import AttentionLayer, ModelShape
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
NO_CONTEXT = ModelShape((), max_position_embeddings=0)
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
    assert residency(QUANTIZED, NO_CONTEXT, device, usable) == expected


@pytest.mark.parametrize(
    ("device", "expected"), [(Device.METAL, 2000), (Device.CPU, 4000), (Device.CUDA, 2000)]
)
def test_plain_weights_take_the_devices_own_type(device: Device, expected: int) -> None:
    assert residency(PLAIN, NO_CONTEXT, device, usable_bytes=0).weight_bytes == expected


@pytest.mark.parametrize("device", [Device.CPU, Device.CUDA])
def test_weights_are_expanded_only_where_a_served_context_fits_beside_them(device: Device) -> None:
    # 8,192 tokens of 10 numbers, and activations of a chunk of 2,048 at 550,000 bytes a token.
    shape = ModelShape((AttentionLayer(10),), max_position_embeddings=100_000)
    number = {Device.CPU: 4, Device.CUDA: 2}[device]
    need = 1100 * number + 81_920 * number + 1_126_400_000

    assert residency(QUANTIZED, shape, device, need).weight_bytes == 1100 * number
    assert residency(QUANTIZED, shape, device, need - 1).weight_bytes == 500 + 140 * number


@pytest.mark.parametrize(
    ("device", "option", "expected"),
    [
        (Device.CPU, WeightsOption.QUANTIZED, Residency(500 + 560, 100 + 32, 4)),
        (Device.CPU, WeightsOption.DENSE, Residency(4400, 800, 4)),
        (Device.METAL, WeightsOption.QUANTIZED, Residency(780, 116, 2)),
        (Device.METAL, WeightsOption.DENSE, Residency(2200, 400, 2)),
    ],
)
@pytest.mark.parametrize("usable", [0, 10**6])
def test_the_operator_s_density_counts_whatever_fits(
    device: Device, option: WeightsOption, expected: Residency, usable: int
) -> None:
    assert residency(QUANTIZED, NO_CONTEXT, device, usable, option) == expected


@pytest.mark.parametrize("option", list(WeightsOption))
def test_the_operator_s_density_changes_no_plain_weights(option: WeightsOption) -> None:
    assert residency(PLAIN, NO_CONTEXT, Device.METAL, 0, option).weight_bytes == 2000
    assert residency(PLAIN, NO_CONTEXT, Device.CPU, 0, option).weight_bytes == 4000


@pytest.mark.parametrize("option", list(WeightsOption))
@pytest.mark.parametrize("device", list(Device))
@pytest.mark.parametrize("usable", [1500, 3000, 10**6])
@pytest.mark.parametrize("weights", [QUANTIZED, PLAIN], ids=["quantized", "plain"])
def test_the_engine_decides_alike(
    device: Device, usable: int, weights: Weights, option: WeightsOption
) -> None:
    whole = weights.whole
    elements = whole.packed_elements + whole.plain_elements
    facts = backend.BackendFacts(
        backend.Device(device), weights.whole.packed_elements > 0, elements, usable
    )

    choice = backend.choose_backend(facts, option)

    number = {"float32": 4, "bfloat16": 2, None: None}[choice.dtype]
    taken = residency(weights, NO_CONTEXT, device, usable, option).weight_bytes
    if number is None and choice.dense and whole.packed_elements:
        assert taken == elements * 2
    elif number is None:
        assert taken == whole.stored_bytes
    elif choice.dense:
        assert taken == elements * number
    else:
        assert taken < elements * number
