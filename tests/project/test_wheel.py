"""A built wheel holds what the server needs at run time, and nothing else."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGES = {"mlxsite", "frontend", "sessions", "memory", "jobs", "inference", "hub"}
SOURCES = "frontend/app/"  # what the web app is built from
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(root, tracked, tmp_path_factory) -> list[str]:
    """Names of the files in a wheel that was built of tracked files alone."""
    folder = tmp_path_factory.mktemp("wheel")
    for path in tracked:
        if path.parts[0] in PACKAGES or str(path) in ("pyproject.toml", "README.md"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / path, folder / path)
    command = [sys.executable, "-W", "ignore", "-c", BUILD, "built"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (archive,) = (folder / "built").glob("*.whl")
    return zipfile.ZipFile(archive).namelist()


def test_it_holds_every_tracked_file_of_the_packages_and_no_other(tracked: list[Path], wheel):
    expected = {
        str(path)
        for path in tracked
        if path.parts[0] in PACKAGES and not str(path).startswith(SOURCES)
    }

    assert {name for name in wheel if ".dist-info/" not in name} == expected
