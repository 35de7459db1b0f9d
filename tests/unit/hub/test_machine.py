import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hub import bandwidth, machine
from hub.config import HubConfig
from hub.machine import Device, Machine
from hub.nvidia import Card


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts that a process keeps are found anew in each test; nothing is measured."""
    machine._lasting_facts.cache_clear()
    monkeypatch.setattr(bandwidth, "measure_in_background", lambda config, chip: None)
    monkeypatch.setattr(machine, "find_card", lambda: None)


def test_this_machine_has_memory_a_chip_and_a_bandwidth(config: HubConfig) -> None:
    found = machine.this_machine(config)

    assert found.ram_bytes > 64 * 2**20
    assert found.chip
    assert found.bandwidth_gbps > 0


def test_a_mac_is_known_by_its_chip(config: HubConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(machine, "chip_name", lambda: "M4 Pro")
    monkeypatch.setattr(machine, "ram_bytes", lambda: 24 * 2**30)

    assert machine.this_machine(config) == Machine("M4 Pro", 24 * 2**30, Device.METAL, 273)


def test_a_card_brings_its_own_memory(config: HubConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "find_card", lambda: Card("H200", 141 * 2**30))
    monkeypatch.setattr(sys, "platform", "linux")

    assert machine.this_machine(config) == Machine("H200", 141 * 2**30, Device.CUDA, 4800)


def test_an_unknown_card_sharing_memory_gets_the_machines_and_a_middling_speed(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "find_card", lambda: Card("X900", None))
    monkeypatch.setattr(machine, "ram_bytes", lambda: 2**37)
    monkeypatch.setattr(sys, "platform", "linux")

    assert machine.this_machine(config) == Machine("X900", 2**37, Device.CUDA, 273)


def test_a_cpu_is_as_fast_as_it_was_measured(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(bandwidth, "measure", lambda config, chip: 16.25)

    guessed = machine.this_machine(config)
    measured = machine.this_machine(config, wait=True)

    assert (guessed.device, guessed.bandwidth_gbps) == (Device.CPU, bandwidth.UNMEASURED_GBPS)
    assert measured.bandwidth_gbps == 16.25


def test_every_limit_from_the_own_cgroup_up_to_the_root_counts(tmp_path: Path) -> None:
    write(tmp_path / "proc/self/cgroup", "0::/pod/box\n")
    write(tmp_path / "cgroup/pod/box/memory.max", "max\n")
    write(tmp_path / "cgroup/pod/memory.max", "2000\n")
    write(tmp_path / "cgroup/memory.max", "3000\n")

    limits = machine.cgroup_limits(tmp_path / "proc", tmp_path / "cgroup")

    assert list(limits) == [2000, 3000]


def test_a_host_path_unknown_in_the_container_falls_back_to_the_root(tmp_path: Path) -> None:
    write(tmp_path / "proc/self/cgroup", "0::/host/only/path\n")
    write(tmp_path / "cgroup/memory.max", "3000\n")

    limits = machine.cgroup_limits(tmp_path / "proc", tmp_path / "cgroup")

    assert list(limits) == [3000]


def test_version_one_limits_are_found_under_their_controller(tmp_path: Path) -> None:
    write(tmp_path / "proc/self/cgroup", "5:cpu,cpuacct:/box\n4:memory:/box\n")
    write(tmp_path / "cgroup/memory/box/memory.limit_in_bytes", "1000\n")
    write(tmp_path / "cgroup/cpu,cpuacct/box/memory.limit_in_bytes", "1\n")

    limits = machine.cgroup_limits(tmp_path / "proc", tmp_path / "cgroup")

    assert list(limits) == [1000]


def test_no_cgroups_means_no_limit(tmp_path: Path) -> None:
    assert list(machine.cgroup_limits(tmp_path / "proc", tmp_path / "cgroup")) == []


def test_the_tightest_limit_is_the_ram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "proc/self/cgroup", "0::/\n")
    write(tmp_path / "cgroup/memory.max", "1000\n")
    monkeypatch.setattr(machine, "PROC", tmp_path / "proc")
    monkeypatch.setattr(machine, "CGROUP_ROOT", tmp_path / "cgroup")
    monkeypatch.setattr(sys, "platform", "linux")

    assert machine.ram_bytes() == 1000


def test_the_chip_is_the_processors_model_name_on_linux(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "cpuinfo", "processor\t: 0\nmodel name\t: Some CPU 9000\nmodel name\t: B\n")
    monkeypatch.setattr(machine, "PROC", tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")

    assert machine.chip_name() == "Some CPU 9000"


def test_the_chip_loses_the_makers_name_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    def sysctl(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, stdout="Apple M4 Pro\n")

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(subprocess, "run", sysctl)

    assert machine.chip_name() == "M4 Pro"
