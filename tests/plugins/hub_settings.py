"""The downloads of a test: from the fake Hub, into folders of its own, stopped at the end."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from hub.config import HubConfig
from hub.downloads import runtime
from hub.token import Tokens
from hub.tool_approvals import ToolApprovals
from tests.plugins.fake_hub import FakeHub

PATIENCE = 20  # seconds; a busy machine


def until(condition: Callable[[], object]) -> None:
    """Return when `condition` holds; fails if it never does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.005)


@pytest.fixture
def hub_settings(
    fake_hub: FakeHub,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    transactional_db: None,
) -> Iterator[HubConfig]:
    """Settings with the fake Hub, an empty cache and an empty state folder.

    The history of downloads is written on threads of their own, which see no open transaction.
    """
    monkeypatch.setattr("hub.downloads.download.RETRY_WAITS", (0.0,))
    state = tmp_path / "state"
    settings.HUB = HubConfig(tmp_path / "models", tmp_path / "hf" / "hub", fake_hub.url)
    settings.HF_TOKENS = Tokens(saved=state / "hf.json", cli_file=tmp_path / "hf" / "token")
    settings.TOOL_APPROVALS = ToolApprovals(state / "tool-approvals.json")
    yield settings.HUB
    for fault in fake_hub.faults.values():
        fault.release.set()
    runtime.stop()
