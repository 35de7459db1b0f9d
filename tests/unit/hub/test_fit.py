"""The memory formulas, against figures worked out by hand, and their own consistency."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub import fit
from hub.kv_cost import ElementBytes
from hub.shape import AttentionLayer, LinearLayer, ModelShape

# Llama-3.1-8B: 32 layers, 8 KV heads of 128, so 2 x 8 x 128 = 2,048 elements a layer.
LLAMA_8B = ModelShape(
    attention=(AttentionLayer(elements=2048),) * 32, max_position_embeddings=131072
)
# Gemma-like: 20 sliding layers of 2 x 2 x 256 = 1,024 and 4 full of 2 x 1 x 512 = 1,024.
SLIDING = ModelShape(
    attention=(AttentionLayer(1024, sliding=True),) * 20 + (AttentionLayer(1024),) * 4,
    window=512,
    max_position_embeddings=131072,
)
# Qwen3-Next: 12 full layers of 2 x 2 x 256 = 1,024 and 36 linear ones; 512 experts, top 10.
HYBRID_MOE = ModelShape(
    attention=(AttentionLayer(1024),) * 12,
    linear=(LinearLayer(32, 128, 16, 128, 4),) * 36,
    max_position_embeddings=262144,
    num_experts=512,
    experts_per_token=10,
)
# One linear layer: 32 x 128 x 128 x 4 = 2,097,152 of state, and
# 3 x (2 x 16 x 128 + 32 x 128) x 2 = 49,152 of convolution.
HYBRID_STATE = 36 * (2_097_152 + 49_152)


def test_full_attention_grows_with_every_token() -> None:
    assert fit.kv_bytes(LLAMA_8B, 1) == 131_072
    assert fit.kv_bytes(LLAMA_8B, 8192) == 1_073_741_824


def test_sliding_layers_stop_growing_at_the_window() -> None:
    # full 4 x 1,024 x 2 = 8,192 a token; sliding 20 x 1,024 x 2 = 40,960 a token.
    assert fit.kv_bytes(SLIDING, 100) == 100 * (8_192 + 40_960)
    assert fit.kv_bytes(SLIDING, 10_000) == 10_000 * 8_192 + 512 * 40_960


def test_linear_layers_cost_the_same_for_every_context() -> None:
    assert HYBRID_STATE == 77_266_944
    assert fit.kv_bytes(HYBRID_MOE, 1000) == 1000 * 24_576 + HYBRID_STATE


@pytest.mark.parametrize(
    ("element_bytes", "expected"),
    [
        (2, 131_072),
        (4, 262_144),
        (fit.affine_element_bytes(8, 64), 69_632),  # 1 + 4/64 bytes
        (fit.affine_element_bytes(4, 64), 36_864),  # 0.5 + 4/64 bytes
        (fit.affine_element_bytes(8, 64, 4), 73_728),  # 1 + 8/64 bytes
        ((2.0,) * 31 + (1.0,), 129_024),  # 31 x 4,096 + 2,048
    ],
)
def test_the_cache_scales_with_the_size_of_its_elements(
    element_bytes: ElementBytes, expected: int
) -> None:
    assert fit.kv_bytes(LLAMA_8B, 1, element_bytes) == expected


def test_activations_are_bounded_by_one_chunk() -> None:
    assert fit.transient_bytes(100) == 55_000_000
    assert fit.transient_bytes(2048) == fit.transient_bytes(100_000) == 1_126_400_000


def test_the_total_is_weights_cache_and_activations() -> None:
    total = fit.total_bytes(LLAMA_8B, 4_500_000_000, 8192)

    assert total == 4_500_000_000 + 1_073_741_824 + 1_126_400_000
    assert fit.fits(LLAMA_8B, 4_500_000_000, 8192, usable=total)
    assert not fit.fits(LLAMA_8B, 4_500_000_000, 8192, usable=total - 1)


def test_three_quarters_of_ram_is_usable_unless_a_budget_is_given() -> None:
    assert fit.usable_bytes(16 * 2**30) == 12 * 2**30
    assert fit.usable_bytes(16 * 2**30, budget_bytes=5_000_000_000) == 5_000_000_000


@pytest.mark.parametrize(
    ("shape", "weights", "usable", "expected"),
    [
        # (12,884,901,888 - 4,500,000,000 - 1,126,400,000) / 131,072 = 55,377.97
        (LLAMA_8B, 4_500_000_000, 12 * 2**30, 55_377),
        # (3,126,400,000 - 1,000,000,000 - 1,126,400,000) = 1e9; 1e9 / 49,152 > 512, so
        # (1e9 - 512 x 40,960) / 8,192 = 119,510.3
        (SLIDING, 1_000_000_000, 3_126_400_000, 119_510),
        # 10,000,000 left: 10,000,000 / 49,152 = 203.4, inside the window.
        (SLIDING, 1_000_000_000, 2_136_400_000, 203),
        # 1e9 - 77,266,944 over 24,576 = 37,546.1
        (HYBRID_MOE, 40_000_000_000, 42_126_400_000, 37_546),
    ],
)
def test_the_longest_safe_context_fills_what_is_left(
    shape: ModelShape, weights: int, usable: int, expected: int
) -> None:
    assert fit.max_safe_context(shape, weights, usable) == expected


def test_no_context_is_safe_when_the_weights_alone_are_too_large() -> None:
    assert fit.max_safe_context(LLAMA_8B, 16_000_000_000, 12 * 2**30) == 0


def test_the_longest_safe_context_stops_at_the_models_own_limit() -> None:
    assert fit.max_safe_context(LLAMA_8B, 4_500_000_000, 100 * 2**30) == 131_072


def test_a_model_whose_cache_stops_growing_is_limited_by_itself_alone() -> None:
    shape = dataclasses.replace(SLIDING, attention=(AttentionLayer(1024, sliding=True),))
    nothing_kept = dataclasses.replace(HYBRID_MOE, attention=())

    assert fit.max_safe_context(shape, 0, 2_000_000_000) == 131_072
    assert fit.max_safe_context(nothing_kept, 0, 2_000_000_000) == 262_144


def test_a_dense_model_reads_all_its_weights_for_a_token() -> None:
    rate = fit.decode_tokens_per_second(LLAMA_8B, 4_500_000_000, 0, 8192, bandwidth_gbps=273)

    # 273e9 / (4.5e9 + 1,073,741,824) x 0.82
    assert rate == pytest.approx(40.163, abs=0.001)


def test_a_mixture_reads_only_the_experts_a_token_is_routed_to() -> None:
    rate = fit.decode_tokens_per_second(
        HYBRID_MOE, 42_000_000_000, 40_000_000_000, 1000, bandwidth_gbps=400
    )

    # read: 42e9 - 40e9 x (1 - 10/512) + 101,842,944 = 2,883,092,944; 400e9 / that x 0.76
    assert rate == pytest.approx(105.442, abs=0.001)


@given(
    shape=st.sampled_from([LLAMA_8B, SLIDING, HYBRID_MOE]),
    weights=st.integers(0, 60 * 10**9),
    usable=st.integers(0, 100 * 10**9),
    element_bytes=st.sampled_from([2.0, 4.0, 0.5625, 1.0625]),
)
def test_the_longest_safe_context_fits_and_one_token_more_does_not(
    shape: ModelShape, weights: int, usable: int, element_bytes: float
) -> None:
    longest = fit.max_safe_context(shape, weights, usable, element_bytes)

    if longest:
        assert fit.fits(shape, weights, longest, usable, element_bytes)
    if fit.CHUNK_TOKENS <= longest < shape.max_position_embeddings:
        assert not fit.fits(shape, weights, longest + 1, usable, element_bytes)
