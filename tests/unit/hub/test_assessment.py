"""Five model shapes on machines one can buy, against figures worked out by hand.

Every figure follows from the published configs by the formulas of `hub.fit`; the sums
stand beside them. GiB are 2**30 bytes; three quarters of the memory is usable.
"""

from dataclasses import dataclass

import pytest

from hub.assessment import assess_here, sku_matrix
from hub.machine import Device, Machine
from hub.shape import AttentionLayer, LinearLayer, ModelShape
from hub.weights import Part, Weights

M4_PRO = Machine("M4 Pro", 24 * 2**30, Device.METAL, 273)
USABLE = 19_327_352_832  # 0.75 x 24 x 2**30
TRANSIENT = 1_126_400_000  # 2,048 x 550,000
CONTEXT = 8192


@dataclass(frozen=True)
class Case:
    """A model, and what it comes to on an M4 Pro with 24 GB at 8,192 tokens."""

    shape: ModelShape
    weights: Weights
    kv_bytes: int
    fits: bool
    max_context: int
    tps: float


def stored(size: int, experts: int = 0) -> Weights:
    return Weights(Part(stored_bytes=size), Part(stored_bytes=experts))


CASES = {
    # 32 layers of 2 x 8 x 128 = 2,048 numbers of 2 bytes: 131,072 bytes a token.
    # (19,327,352,832 - 4,500,000,000 - 1,126,400,000) / 131,072 = 104,529.9.
    # 273e9 / (4.5e9 + 1,073,741,824) x 0.82 = 40.163.
    "dense": Case(
        ModelShape((AttentionLayer(2048),) * 32, max_position_embeddings=131_072),
        stored(4_500_000_000),
        kv_bytes=1_073_741_824,
        fits=True,
        max_context=104_529,
        tps=40.163,
    ),
    # 4 global layers of 2 x 1 x 512 = 1,024 numbers: 8,192 bytes a token; 20 sliding ones of
    # 2 x 2 x 256 = 1,024: 40,960 bytes a token, for 512 tokens at most. 8,192 x 8,192 +
    # 512 x 40,960 = 88,080,384. Room for more than the 131,072 tokens that it was made for.
    # 273e9 / (5.0e9 + 88,080,384) x 0.82 = 43.997.
    "sliding": Case(
        ModelShape(
            (AttentionLayer(1024, sliding=True),) * 20 + (AttentionLayer(1024),) * 4,
            window=512,
            max_position_embeddings=131_072,
        ),
        stored(5_000_000_000),
        kv_bytes=88_080_384,
        fits=True,
        max_context=131_072,
        tps=43.997,
    ),
    # 12 layers of 1,024 numbers: 24,576 bytes a token; 36 linear ones of 32 x 128 x 128 x 4 +
    # 3 x (2 x 16 x 128 + 32 x 128) x 2 = 2,146,304 bytes each, 77,266,944 in all. Weights and
    # activations alone, 43,126,400,000, are too much.
    # 273e9 / (42e9 - 40e9 x 502/512 + 278,593,536) x 0.76 = 67.807.
    "hybrid mixture": Case(
        ModelShape(
            (AttentionLayer(1024),) * 12,
            linear=(LinearLayer(32, 128, 16, 128, 4),) * 36,
            max_position_embeddings=262_144,
            num_experts=512,
            experts_per_token=10,
        ),
        stored(42_000_000_000, experts=40_000_000_000),
        kv_bytes=278_593_536,
        fits=False,
        max_context=0,
        tps=67.807,
    ),
    # 48 layers of 2 x 4 x 128 = 1,024 numbers: 98,304 bytes a token, 805,306,368 for 8,192.
    # 17.2e9 + 805,306,368 + 1,126,400,000 = 19,131,706,368 fits;
    # (19,327,352,832 - 17.2e9 - 1,126,400,000) / 98,304 = 10,182.2.
    # 273e9 / (17.2e9 - 16e9 x 120/128 + 805,306,368) x 0.76 = 69.038.
    "mixture": Case(
        ModelShape(
            (AttentionLayer(1024),) * 48,
            max_position_embeddings=40_960,
            num_experts=128,
            experts_per_token=8,
        ),
        stored(17_200_000_000, experts=16_000_000_000),
        kv_bytes=805_306_368,
        fits=True,
        max_context=10_182,
        tps=69.038,
    ),
    # 61 layers of 512 + 64 = 576 numbers: 70,272 bytes a token, 575,668,224 for 8,192.
    # 18e9 + 575,668,224 + 1,126,400,000 = 19,702,068,224 is too much, while
    # (19,327,352,832 - 18e9 - 1,126,400,000) / 70,272 = 2,859.6 tokens would fit.
    # 273e9 / (18e9 - 17e9 x 248/256 + 575,668,224) x 0.76 = 98.476.
    "latent mixture": Case(
        ModelShape(
            (AttentionLayer(576),) * 61,
            max_position_embeddings=163_840,
            num_experts=256,
            experts_per_token=8,
        ),
        stored(18_000_000_000, experts=17_000_000_000),
        kv_bytes=575_668_224,
        fits=False,
        max_context=2_859,
        tps=98.476,
    ),
}


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
    # 16e9 / (538,060,032 + 46,080,000) x 0.82
    assert found.predicted_decode_tps == pytest.approx(22.460, abs=0.001)


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
