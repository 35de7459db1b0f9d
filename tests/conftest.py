"""What all tests share: the answer to a missing tool is a skip, or on CI a failure.

State and cache folders are moved aside earlier, by tests/settings.py.
"""

import os
import shutil
from pathlib import Path

import pytest

pytest_plugins = [
    "tests.plugins.fake_hub",
    "tests.plugins.grammar",
    "tests.plugins.hub_settings",
    "tests.plugins.jobs",
    "tests.plugins.scripted_engine",
    "tests.plugins.server",
    "tests.plugins.service",
    "tests.plugins.starter",
    "tests.plugins.tiny_model",
    "tests.plugins.tiny_embedding",
    "tests.plugins.tiny_tokenizer",
]

REQUIRE_ALL = os.environ.get("MLXSITE_REQUIRE_ALL") == "1"


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("google-chrome")


def has_openblas() -> bool:
    return any(Path("/usr/lib").glob("*/openblas-pthread/libopenblas.so.0"))


# By marker: whether its tool is here, and how to get it.
TOOLS = {
    "browser": (chromium_path, "chromium (apt-get install chromium)"),
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
