import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings

from hub.config import HubConfig
from hub.decode_rates import record_decode_rate
from hub.machine import Machine
from hub.management.commands import models
from tests.plugins.five_models import CASES, M4_PRO

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def here(config: HubConfig, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An M4 Pro, measured if it had to be, with an empty cache."""

    def machine(asked: HubConfig, *, wait: bool) -> Machine:
        assert wait
        return M4_PRO

    settings.HUB = config
    monkeypatch.setattr(models, "this_machine", machine)


def run(*arguments: str) -> str:
    output = io.StringIO()
    call_command("models", *arguments, stdout=output)
    return output.getvalue()


def test_it_lists_each_model_with_what_it_comes_to(config: HubConfig) -> None:
    CASES["dense"].write(config.models_dir / "org" / "dense")
    CASES["latent mixture"].write(config.models_dir / "org" / "latent")

    header, dense, latent, note = run().splitlines()

    assert header.split() == ["Model", "Size", "Bits", "Tier", "Fits", "Safe", "context", "tok/s"]
    assert dense.split() == ["org/dense", "4.50", "GB", "targeted", "yes", "104,529", "40.2"]
    assert latent.split() == ["org/latent", "18.00", "GB", "targeted", "no", "2,859", "98.5"]
    assert note == ("At 8,192 tokens of context on M4 Pro, 26 GB at 273 GB/s; * as measured.")


def test_what_was_measured_is_marked(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/a", quantization={"bits": 4, "group_size": 64})
    record_decode_rate(repo_id="org/a", snapshot="abc123", device="M4 Pro", tokens=100, seconds=2.0)

    line = run().splitlines()[1]

    assert line.split()[-1] == "50.0*"
    assert "  4     targeted  yes  " in line


def test_what_is_no_model_is_named_below(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/odd", model_type="bert", num_hidden_layers=0)
    (write_cached_model("org/cut") / "model.safetensors").write_bytes(b"")

    lines = run().splitlines()

    assert lines[1].split() == ["org/odd", "0.00", "GB", "none"]
    assert lines[-1].startswith("Skipped org/cut: model.safetensors is cut short")


def test_an_empty_machine_is_told_how_to_begin() -> None:
    assert run() == "No models here yet: 'python manage.py starter_model' fetches a small one.\n"


def test_programs_get_the_rows_of_the_hub_page(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/a")
    (write_cached_model("org/cut") / "model.safetensors").write_bytes(b"")

    body = json.loads(run("--json"))

    assert [row["repo_id"] for row in body["models"]] == ["org/a"]
    assert body["models"][0]["assessment"]["fits"] is True
    assert [row["repo_id"] for row in body["skipped"]] == ["org/cut"]
