import io
import json

import pytest

from jobs.emitter import Emitter
from jobs.quantize import progress as module
from jobs.quantize.progress import Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def told(log: io.StringIO) -> list[tuple[str, float]]:
    events = map(json.loads, log.getvalue().splitlines())
    return [(event["stage"], event["progress"]) for event in events]


def test_stages_take_their_share_and_progress_never_falls(clock: list[float]) -> None:
    log = io.StringIO()
    progress = Progress(Emitter(log), [("read", 1), ("write", 3)])

    for stage in ("read", "write"):
        progress.begin(stage, "")
        for share in (0.5, 1.0):
            clock[0] += 1
            progress.tell(share)

    assert told(log) == [
        ("read", 0.0), ("read", 0.125), ("read", 0.25),
        ("write", 0.25), ("write", 0.625), ("write", 1.0),
    ]  # fmt: skip


def test_a_fast_stage_tells_its_ends_only(clock: list[float]) -> None:
    log = io.StringIO()
    progress = Progress(Emitter(log), [("read", 1)])
    progress.begin("read", "")

    for percent in range(101):
        clock[0] += 0.001
        progress.tell(percent / 100)

    assert told(log) == [("read", 0.0), ("read", 1.0)]
