"""Real processes that download, and what is left when they are killed."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.plugins.fake_hub import FakeHub, blob_name
from tests.plugins.hub_model import REPO_ID, SHARD_1, SHARD_2, SIZE, model_files
from tests.plugins.hub_settings import until
from tests.plugins.server import ROOT

pytestmark = pytest.mark.slow

HELD_AT = 150_000
BLOCK = 1 << 16  # the most that a program reads at once


@pytest.fixture
def env(fake_hub: FakeHub, tmp_path: Path) -> dict[str, str]:
    fake_hub.add(REPO_ID, model_files())
    return {"HF_ENDPOINT": fake_hub.url, "HF_HUB_CACHE": str(tmp_path / "hub")}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return tmp_path / "hub" / "models--owner--model"


@pytest.fixture
def partial(repo: Path) -> Path:
    return repo / "blobs" / f"{blob_name(SHARD_2, model_files()[SHARD_2])}.incomplete"


def hear_control_c() -> None:
    """Undo what a background shell gives its children: an interrupt that is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(env: dict[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "manage.py", "download", REPO_ID],
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=hear_control_c,  # noqa: PLW1509 - the child goes on to exec at once
    )


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_a_killed_download_goes_on_where_it_was(
    env: dict[str, str], fake_hub: FakeHub, repo: Path, partial: Path
) -> None:
    fault = fake_hub.fail(SHARD_2, hold_at=HELD_AT)
    killed = start(env)
    until(lambda: fault.held.is_set() and size(partial) > HELD_AT - BLOCK)
    killed.kill()
    killed.communicate()
    kept = size(partial)
    assert not (repo / "refs").exists()
    fault.release.set()
    fake_hub.faults.clear()

    again = start(env)
    output, _ = again.communicate(timeout=60)

    assert again.returncode == 0, output
    assert output.startswith(f"{REPO_ID} is ready: {repo}")
    assert fake_hub.offsets[SHARD_2] == [0, kept]
    assert HELD_AT - kept < BLOCK  # what came twice
    assert fake_hub.offsets[SHARD_1] == [0]
    folder = repo / "snapshots" / (repo / "refs" / "main").read_text()
    assert (folder / SHARD_2).read_bytes() == model_files()[SHARD_2]
    assert not partial.exists()


def test_control_c_ends_a_download_with_what_to_do_next(
    env: dict[str, str], fake_hub: FakeHub, partial: Path
) -> None:
    fault = fake_hub.fail(SHARD_2, hold_at=HELD_AT)
    stopped = start(env)
    until(lambda: fault.held.is_set() and size(partial) > HELD_AT - BLOCK)

    stopped.send_signal(signal.SIGINT)
    output, _ = stopped.communicate(timeout=30)

    assert stopped.returncode == 1
    assert output == "CommandError: stopped; the same command goes on from here\n"
    assert size(partial) > HELD_AT - BLOCK


def test_a_server_that_stops_leaves_a_download_that_can_go_on(
    env: dict[str, str], fake_hub: FakeHub, start_process, repo: Path, partial: Path
) -> None:
    fault = fake_hub.fail(SHARD_2, hold_at=HELD_AT)
    server = start_process("--scripted", env=env)
    request = urllib.request.Request(
        f"{server.url}/api/hub/download",
        json.dumps({"repo": REPO_ID}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        assert json.load(response) == {"ok": True, "repo": REPO_ID, "started": True}
    until(lambda: fault.held.is_set() and size(partial) > HELD_AT - BLOCK)
    with urllib.request.urlopen(f"{server.url}/downloads", timeout=30) as response:
        (row,) = json.load(response)["downloads"]
    assert (row["state"], row["total_bytes"]) == ("active", SIZE)

    server.signal(signal.SIGTERM)

    assert server.wait() == 0, server.log
    assert "Traceback" not in server.log
    assert size(partial) > HELD_AT - BLOCK
    fault.release.set()
    fake_hub.faults.clear()
    output, _ = start(env).communicate(timeout=60)
    assert output.startswith(f"{REPO_ID} is ready: {repo}")
    assert fake_hub.offsets[SHARD_1] == [0]
