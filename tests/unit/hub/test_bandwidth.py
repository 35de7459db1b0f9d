import logging
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hub import bandwidth
from hub.config import HubConfig


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> dict[str | None, str]:
    """What the measuring program prints, by the number of threads that it is held to."""
    outputs: dict[str | None, str] = {None: "16.25\n", "1": "8.50\n"}

    def run(
        command: list[str], *, env: dict[str, str], **_: Any
    ) -> subprocess.CompletedProcess[str]:
        assert command[1:] == ["-m", "hub.bandwidth_probe"]
        output = outputs[env.get("OPENBLAS_NUM_THREADS")]
        return subprocess.CompletedProcess(command, 0, stdout=output)

    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(bandwidth, "_begun", set())
    monkeypatch.setattr(subprocess, "run", run)
    return outputs


def test_what_was_measured_is_remembered(config: HubConfig, probe: dict[str | None, str]) -> None:
    assert bandwidth.remembered_gbps(config, "Some CPU") is None

    assert bandwidth.measure(config, "Some CPU") == 16.25

    assert bandwidth.remembered_gbps(config, "Some CPU") == 16.25
    assert bandwidth.remembered_gbps(config, "Another CPU") is None


def test_a_busy_moment_does_not_spoil_a_better_figure(
    config: HubConfig, probe: dict[str | None, str]
) -> None:
    measured = []
    for output in ("16.25", "0.50", "18.00"):
        probe[None] = output
        measured.append(bandwidth.measure(config, "Some CPU"))

    assert measured == [16.25, 16.25, 18.0]


def test_one_thread_is_as_good_as_it_gets_on_busy_cores(
    config: HubConfig, probe: dict[str | None, str]
) -> None:
    probe[None] = "0.10"

    assert bandwidth.measure(config, "Some CPU") == 8.5


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"Some CPU, 4 cores": "fast"}'])
def test_a_damaged_file_counts_as_none(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    config.bandwidth_file.parent.mkdir(parents=True)
    config.bandwidth_file.write_text(content)

    assert bandwidth.remembered_gbps(config, "Some CPU") is None


def test_a_failed_measurement_is_logged_and_leaves_nothing(
    config: HubConfig, probe: dict[str | None, str], caplog: pytest.LogCaptureFixture
) -> None:
    probe[None] = "no number"

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


def test_what_somebody_waited_for_is_not_measured_again_in_the_background(
    config: HubConfig, probe: dict[str | None, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bandwidth.measure(config, "Some CPU")
    started: list[str] = []
    monkeypatch.setattr(bandwidth.threading, "Thread", lambda **_: started.append("thread"))

    bandwidth.measure_in_background(config, "Some CPU")

    assert started == []


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
