import logging
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hub import bandwidth
from hub.config import HubConfig


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the measuring program prints next; the last one stays."""
    outputs = ["16.25\n"]

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert command[1:] == ["-m", "hub.bandwidth_probe"]
        output = outputs.pop(0) if len(outputs) > 1 else outputs[0]
        return subprocess.CompletedProcess(command, 0, stdout=output)

    monkeypatch.setattr(subprocess, "run", run)
    return outputs


def test_what_was_measured_is_remembered(config: HubConfig, probe: list[str]) -> None:
    assert bandwidth.remembered_gbps(config, "Some CPU") is None

    assert bandwidth.measure(config, "Some CPU") == 16.25

    assert bandwidth.remembered_gbps(config, "Some CPU") == 16.25
    assert bandwidth.remembered_gbps(config, "Another CPU") is None


def test_a_busy_moment_does_not_spoil_a_better_figure(config: HubConfig, probe: list[str]) -> None:
    probe[:] = ["16.25\n", "0.50\n", "18.00\n"]

    assert [bandwidth.measure(config, "Some CPU") for _ in range(3)] == [16.25, 16.25, 18.0]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"Some CPU, 4 cores": "fast"}'])
def test_a_damaged_file_counts_as_none(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    config.bandwidth_file.parent.mkdir(parents=True)
    config.bandwidth_file.write_text(content)

    assert bandwidth.remembered_gbps(config, "Some CPU") is None


def test_a_failed_measurement_is_logged_and_leaves_nothing(
    config: HubConfig, probe: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    probe[:] = ["no number"]

    with caplog.at_level(logging.WARNING):
        assert bandwidth.measure(config, "Some CPU") is None

    assert "could not be measured" in caplog.text
    assert not config.bandwidth_file.exists()


def test_a_process_measures_in_the_background_once(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []
    monkeypatch.setattr(bandwidth, "_begun", set())
    monkeypatch.setattr(bandwidth, "measure", lambda config, chip: measured.append(chip))
    monkeypatch.setattr(bandwidth.threading, "Thread", _Inline)

    for _ in range(2):
        bandwidth.measure_in_background(config, "Some CPU")

    assert measured == ["Some CPU"]


class _Inline:
    """A thread that runs where it is started."""

    def __init__(self, target: Any, args: tuple[Any, ...], daemon: bool) -> None:
        self._run = lambda: target(*args)

    def start(self) -> None:
        self._run()


@pytest.mark.slow
def test_this_machine_can_be_measured(config: HubConfig) -> None:
    gbps = bandwidth.measure(config, "this one")

    assert gbps is not None
    assert 0.05 < gbps < 5000
    assert Path(config.bandwidth_file).is_file()
