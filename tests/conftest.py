"""What all tests share: the answer to a missing tool is a skip, or on CI a failure.

State and cache folders are moved aside earlier, by tests/settings.py.
"""

import os
import shutil
from pathlib import Path

import hypothesis
import pytest

# How long an example takes is the machine's affair.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

pytest_plugins = [
    "tests.plugins.chat",
    "tests.plugins.failures",
    "tests.plugins.fake_hub",
    "tests.plugins.grammar",
    "tests.plugins.hub_settings",
    "tests.plugins.postgres",
    "tests.plugins.jobs",
    "tests.plugins.scripted_engine",
    "tests.plugins.scripted_models",
    "tests.plugins.server",
    "tests.plugins.service",
    "tests.plugins.starter",
    "tests.plugins.synthesis",
    "tests.plugins.tiny_model",
    "tests.plugins.tiny_embedding",
    "tests.plugins.tiny_tokenizer",
    "tests.plugins.vault",
    "tests.plugins.web_app",
]

REQUIRE_ALL = os.environ.get("MLXSITE_REQUIRE_ALL") == "1"


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("google-chrome")


def has_openblas() -> bool:
    return any(Path("/usr/lib").glob("*/openblas-pthread/libopenblas.so.0"))


def postgres_path() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps those of its newest version off PATH."""
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(versions, key=lambda path: float(path.parts[-3]), default=None)
    found = newest or shutil.which("initdb")
    return Path(found).resolve().parent if found else None


# By marker: whether its tool is here, and how to get it.
TOOLS = {
    "browser": (chromium_path, "chromium (apt-get install chromium)"),
    "postgres": (postgres_path, "PostgreSQL (apt-get install postgresql)"),
    "openblas": (has_openblas, "OpenBLAS (apt-get install libopenblas0-pthread)"),
}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose marked tool is missing; fail it where every test was promised to run."""
    for marker, (available, tool) in TOOLS.items():
        if item.get_closest_marker(marker) and not available():
            if REQUIRE_ALL:
                pytest.fail(f"needs {tool}, and MLXSITE_REQUIRE_ALL=1 lets no test be skipped")
            pytest.skip(f"needs {tool}")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a browser for Playwright; for tests marked `browser`."""
    path = chromium_path()
    assert path is not None
    return path


@pytest.fixture(scope="session")
def postgres_folder() -> Path:
    """Where `initdb` and `pg_ctl` are; for tests marked `postgres`."""
    folder = postgres_path()
    assert folder is not None
    return folder
