"""Five model shapes on machines one can buy, against figures worked out by hand."""

import pytest

from hub.assessment import assess_here, sku_matrix
from hub.machine import Device, Machine
from hub.shape import AttentionLayer, ModelShape
from hub.weights import Part, Weights
from tests.plugins.five_models import CASES, CONTEXT, M4_PRO, TRANSIENT, USABLE, Case


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_model_needs_and_does_what_its_shape_says(case: Case) -> None:
    found = assess_here(case.shape, case.weights, M4_PRO, CONTEXT)

    assert found.kv_bytes == case.kv_bytes
    assert found.transient_bytes == TRANSIENT
    assert found.total_bytes == found.weights_bytes + case.kv_bytes + TRANSIENT
    assert (found.usable_bytes, found.fits) == (USABLE, case.fits)
    assert found.max_safe_context == case.max_context
    assert found.predicted_decode_tps == pytest.approx(case.tps, abs=0.001)


def test_a_cpu_reads_weights_in_float32() -> None:
    # 134,515,008 weights of 4 bytes; 30 layers of 2 x 3 x 64 = 384 numbers of 4 bytes.
    shape = ModelShape((AttentionLayer(384),) * 30, max_position_embeddings=8192)
    weights = Weights(Part(stored_bytes=115_156_224, plain_elements=134_515_008), Part())

    found = assess_here(shape, weights, Machine("CPU", 8 * 2**30, Device.CPU, 16), 1000)

    assert found.weights_bytes == 538_060_032
    assert found.kv_bytes == 46_080_000
    # (538,060,032 + 46,080,000) / 16e9 / 0.82 = 44.523 ms, and 30 x 0.4 ms; 1 / 56.523 ms.
    assert found.predicted_decode_tps == pytest.approx(17.692, abs=0.001)


def test_the_matrix_has_each_machine_at_its_own_context_and_speed() -> None:
    case = CASES["dense"]
    rows = {row.sku: row for row in sku_matrix(case.shape, case.weights)}

    mac, small, card = rows["M4 Pro 24 GB"], rows["M1 8 GB"], rows["H200 141 GB"]
    # 4.5e9 + 4,294,967,296 + 1,126,400,000 = 9,921,367,296; 273e9 / 8,794,967,296 x 0.82.
    assert (mac.ram_gb, mac.fits, mac.max_context) == (24, True, 104_529)
    assert mac.decode_tps == pytest.approx(25.453, abs=0.001)
    # (6,442,450,944 - 4.5e9 - 1,126,400,000) / 131,072 = 6,225.97; 68e9 / 8,794,967,296 x 0.82.
    assert (small.ram_gb, small.fits, small.max_context) == (8, False, 6_225)
    assert small.decode_tps == pytest.approx(6.340, abs=0.001)
    assert (card.ram_gb, card.max_context) == (141, 131_072)


def test_a_card_of_the_matrix_keeps_quantized_weights_expanded() -> None:
    # 8e9 weights of 4 bits, without scales: 16e9 bytes in bfloat16.
    packed = Part(stored_bytes=4 * 10**9, packed_bytes=4 * 10**9, packed_elements=8 * 10**9)
    shape = CASES["dense"].shape

    rows = {row.sku: row for row in sku_matrix(shape, Weights(packed, Part()))}

    # 4,800e9 / (16e9 + 4,294,967,296) x 0.82, and on the small card, where that is too much,
    # 360e9 / (4e9 + 4,294,967,296) x 0.82.
    assert rows["H200 141 GB"].decode_tps == pytest.approx(193.940, abs=0.001)
    assert rows["RTX 3060 12 GB"].decode_tps == pytest.approx(35.588, abs=0.001)
