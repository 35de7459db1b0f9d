"""Jobs of a fake kind, with a queue and logs of their own: `submit_fake`, `run_fake`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jobs.config import JobsConfig
from jobs.kinds import KINDS, Kind
from jobs.lease import Unleased
from jobs.models import Job
from jobs.runner import Runner
from jobs.submit import submit


@pytest.fixture
def jobs_config(settings, tmp_path: Path) -> JobsConfig:
    settings.JOBS = JobsConfig(
        directory=tmp_path / "jobs",
        queue_path=tmp_path / "jobs.sqlite",
        queue_url=None,
        server_url="http://127.0.0.1:9",
    )
    return settings.JOBS


@pytest.fixture
def fake_kinds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`fake` runs beside others, `fake_exclusive` alone."""
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "tests.plugins.bare_settings")
    for name, exclusive in (("fake", False), ("fake_exclusive", True)):
        monkeypatch.setitem(KINDS, name, Kind(run="tests.plugins.fake_job", exclusive=exclusive))
    yield


@pytest.fixture
def submit_fake(
    db, jobs_config: JobsConfig, fake_kinds: None, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Job]:
    """Call with steps, see `tests.plugins.fake_job`; returns the queued row."""
    # A test's connection is to stay open: its transaction would be lost.
    monkeypatch.setattr("jobs.runner.close_old_connections", lambda: None)

    def submit_job(*steps: list[Any], kind: str = "fake", **config: Any) -> Job:
        return submit(kind, {"steps": steps, **config})

    return submit_job


@pytest.fixture
def run_fake(submit_fake: Callable[..., Job]) -> Callable[..., Job]:
    """As `submit_fake`, and runs the job on this thread; returns the row as it is then."""

    def run(*steps: list[Any], **config: Any) -> Job:
        job = submit_fake(*steps, **config)
        Runner(owner="here/1", lease=Unleased()).run(job.pk)
        job.refresh_from_db()
        return job

    return run


def events_of(job: Job) -> list[dict[str, Any]]:
    """What its log holds; every line must be an event."""
    text = Path(job.log_path).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
