import pytest

from jobs.quantize.plan import Target, fitting_group


@pytest.mark.parametrize(
    ("width", "wanted", "group"),
    [(576, 64, 64), (576, 128, 64), (1536, 128, 128), (96, 64, 32), (96, 32, 32), (80, 64, None)],
)
def test_groups_are_as_large_as_wanted_and_as_rows_allow(
    width: int, wanted: int, group: int | None
) -> None:
    assert fitting_group(width, wanted) == group


@pytest.mark.parametrize(
    ("bits", "group_size", "scale_bytes", "size"),
    [
        (4, 64, 2, 512 + 16 * 2 * 2),
        (3, 32, 2, 384 + 32 * 2 * 2),
        (8, 128, 4, 1024 + 8 * 2 * 4),
    ],
)
def test_a_size_counts_weights_scales_and_offsets(
    bits: int, group_size: int, scale_bytes: int, size: int
) -> None:
    assert Target(1024, group_size, scale_bytes).size_bytes(bits) == size
