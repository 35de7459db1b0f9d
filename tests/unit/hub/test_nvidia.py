import subprocess
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from hub import nvidia
from hub.nvidia import Card, find_card

H200 = "0, GPU-aa11, NVIDIA H200, 143771\n1, GPU-bb22, NVIDIA L4, 23034\n"


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What nvidia-smi prints or raises, where MLX for CUDA is installed."""
    answers: list[Any] = [H200]

    def run(command: tuple[str, ...], **_: Any) -> subprocess.CompletedProcess[str]:
        if isinstance(answers[0], Exception):
            raise answers[0]
        return subprocess.CompletedProcess(command, 0, stdout=answers[0])

    monkeypatch.delenv(nvidia.VISIBLE, raising=False)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(nvidia, "version", lambda package: "0.32.4")
    return answers


def test_the_first_card_is_named_and_sized(driver: list[Any]) -> None:
    assert find_card() == Card("H200", 143_771 * 2**20)


@pytest.mark.parametrize(
    ("visible", "chip"),
    [
        ("0", "H200"),
        ("1,0", "L4"),
        (" 1", "L4"),
        ("GPU-bb22", "L4"),
        ("GPU-b", "L4"),
        ("MIG-dd44", "H200"),
        ("", None),
        ("-1", None),
        ("7,0", None),
        ("NoDevFiles", None),
    ],
)
@pytest.mark.usefixtures("driver")
def test_cuda_may_be_shown_other_cards_first_or_none(
    visible: str, chip: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(nvidia.VISIBLE, visible)

    card = find_card()

    assert (card and card.chip) == chip


def test_a_chip_that_shares_the_machines_memory_has_none_of_its_own(driver: list[Any]) -> None:
    driver[0] = "0, GPU-cc33, NVIDIA GB10, [N/A]\n"

    assert find_card() == Card("GB10", None)


@pytest.mark.parametrize(
    "answer",
    [
        FileNotFoundError(),
        subprocess.CalledProcessError(9, "nvidia-smi"),
        subprocess.TimeoutExpired("nvidia-smi", 20),
        "",
        "No devices were found\n",
    ],
)
def test_a_machine_without_a_card_or_a_driver_has_none(driver: list[Any], answer: Any) -> None:
    driver[0] = answer

    assert find_card() is None


def test_a_card_that_mlx_was_not_built_for_does_not_count(
    driver: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(nvidia, "version", missing)

    assert find_card() is None
