"""A repo on a fake Hub, and a way to download it that notes what it was told."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads.download import download_model
from hub.downloads.remote import RemoteHub
from tests.plugins.fake_hub import FakeHub, FakeRepo
from tests.plugins.hub_model import REPO_ID, model_files


@dataclass
class NotedProgress:
    """What a download told, as a list of calls, and what it had in the end."""

    calls: list[tuple[object, ...]] = field(default_factory=list)
    have: int = 0
    on_received: Callable[[], object] = lambda: None

    def planned(self, *, files: int, size: int) -> None:
        self.calls.append(("planned", files, size))

    def began(self, file: str) -> None:
        self.calls.append(("began", file))

    def found(self, size: int) -> None:
        self.calls.append(("found", size))
        self.have += size

    def received(self, size: int) -> None:
        self.have += size
        self.on_received()

    def dropped(self, size: int) -> None:
        self.calls.append(("dropped", size))
        self.have -= size

    def finished(self) -> None:
        self.calls.append(("finished",))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken connection is tried again at once."""
    monkeypatch.setattr("hub.downloads.download.RETRY_WAITS", (0.0, 0.0))


@pytest.fixture
def remote_model(fake_hub: FakeHub) -> FakeRepo:
    return fake_hub.add(REPO_ID, model_files())


@pytest.fixture
def repo(config: HubConfig) -> CachedRepo:
    return CachedRepo.of(config, REPO_ID)


@pytest.fixture
def progress() -> NotedProgress:
    return NotedProgress()


@pytest.fixture
def download(fake_hub: FakeHub, repo: CachedRepo, progress: NotedProgress) -> Callable[..., Path]:
    """`download()` fetches `owner/model`; options are those of `download_model`."""

    def download(
        revision: str = "main",
        token: str | None = None,
        cancelled: threading.Event | None = None,
    ) -> Path:
        return download_model(
            RemoteHub(fake_hub.url, token),
            repo,
            REPO_ID,
            revision,
            progress=progress,
            cancelled=cancelled or threading.Event(),
        )

    return download
