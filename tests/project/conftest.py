"""The source tree, as git knows it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


def listed(*patterns: str) -> list[Path]:
    # A container may mount the folder under another owner than the one who runs the tests.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", *patterns]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in names.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Every file under version control that exists, by path from the root."""
    return listed()


@pytest.fixture(scope="session")
def written() -> list[Path]:
    """Those of them that a person writes: .gitattributes names what programs make."""
    return listed(":(attr:!linguist-generated)")
