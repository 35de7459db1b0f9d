import pytest

from hub.chips import APPLE, NVIDIA, bandwidth_gbps, nvidia_name, skus


@pytest.mark.parametrize(
    ("chip", "gbps"),
    [("M1", 68), ("M4 Pro", 273), ("M3 Ultra", 819), ("RTX 4090", 1008), ("H200", 4800)],
)
def test_a_chip_is_known_by_the_name_people_use(chip: str, gbps: int) -> None:
    assert bandwidth_gbps(chip) == gbps


def test_an_unknown_chip_has_no_figure() -> None:
    assert bandwidth_gbps("Some CPU @ 3.0 GHz") is None


@pytest.mark.parametrize(
    ("product", "chip"),
    [
        ("NVIDIA H200", "H200"),
        ("NVIDIA H100 80GB HBM3", "H100"),
        ("NVIDIA A100-SXM4-80GB", "A100"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("NVIDIA GeForce RTX 4060 Ti", "RTX 4060 Ti"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTX PRO 6000"),
        ("NVIDIA L40S", "L40S"),
        # Not the L4 of the table, nor as fast as the desktop card of the same number.
        ("NVIDIA L40", "L40"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090 Laptop GPU"),
        ("NVIDIA GeForce RTX 4060", "RTX 4060"),
    ],
)
def test_a_products_name_holds_the_chips(product: str, chip: str) -> None:
    assert nvidia_name(product) == chip


def test_every_chip_comes_with_every_size_of_its_memory() -> None:
    rows = [(chip.name, size) for chip, size in skus()]

    assert ("M4 Pro", 24) in rows
    assert ("M4 Pro", 48) in rows
    assert len(rows) == len(set(rows)) == sum(len(chip.ram_gb) for chip in (*APPLE, *NVIDIA))
