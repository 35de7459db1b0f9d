"""Jobs beside a real server: who ends what, what is left, and who waits for whom."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.plugins.openapi import data_of
from tests.plugins.server import spawn, stop

pytestmark = pytest.mark.slow

PATIENCE = 20.0  # seconds
OVER = ("done", "failed", "zombie")


class Site:
    """A server that runs jobs, and what its pages would ask."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {
            "MLXSITE_STATE_DIR": str(folder / "state"),
            "MLXSITE_CACHE_DIR": str(folder / "cache"),
            "DJANGO_SETTINGS_MODULE": "tests.plugins.job_server_settings",
        }
        self.start()

    def start(self, *flags):
        environment = {**self.environment, "MLXSITE_NO_JOBS": ""}
        self.server = spawn(self.folder, "--scripted", *flags, env=environment)
        self.server.wait_until_ready()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.server.url + path,
            data,
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.load(response)

    def submit(self, *steps, kind="fake", **config):
        body = {"kind": kind, "config": {"steps": steps, **config}}
        return self.call("POST", "/test/submit", body)["job_id"]

    def row(self, job_id):
        return self.call("GET", f"/api/jobs/{job_id}")["job"]

    def wait(self, job_id, *statuses):
        """Wait for a job to be over, or to have one of some statuses; return its row."""
        return until(lambda: (row := self.row(job_id))["status"] in (statuses or OVER) and row)

    def cancel(self, job_id):
        return self.call("POST", f"/api/jobs/{job_id}/cancel", {})["job"]

    def follow(self, job_id):
        """The whole text of a job's stream."""
        with urllib.request.urlopen(
            f"{self.server.url}/api/jobs/{job_id}/stream", timeout=PATIENCE
        ) as stream:
            return stream.read().decode()

    def chat(self):
        body = {"messages": [{"role": "user", "content": "hi"}]}
        answer = self.call("POST", "/v1/chat/completions", body)
        return answer["choices"][0]["message"]["content"]

    def signal_and_wait(self, number):
        if not self.server.stopped:
            self.server.signal(number)
            assert self.server.wait() == 0

    @property
    def consumer(self):
        """The process id of its consumer of jobs."""
        return until(lambda: next(iter(children(self.server.process.pid, "-m\0jobs\0")), None))


def until(condition, seconds=PATIENCE):
    """Wait until a condition holds, and return what it returned."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)
    return found


def children(pid, word):
    """Living children of a process whose command line has a word."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            words = (folder / "cmdline").read_bytes().decode()
            if int(parent) == pid and state != "Z" and word in words:
                yield int(folder.name)


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def read_pid(path):
    """The process id that a job has written, once it has."""
    return int(until(lambda: path.exists() and path.read_text()))


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("jobs"))
    yield site
    stop(site.server)


@pytest.fixture
def site(shared_site):
    """The one server of these tests, started again if the last one ended it."""
    if shared_site.server.stopped:
        shared_site.start()
    return shared_site


def test_readers_early_and_late_see_the_same_events(site, tmp_path):
    gate = tmp_path / "gate"
    job = site.submit(
        ["log", "one"], ["wait_for", str(gate)], ["metric", "train", 1, 0.5], summary={"n": 1}
    )
    site.wait(job, "running")

    with ThreadPoolExecutor(20) as readers:
        early = [readers.submit(site.follow, job) for _ in range(20)]
        time.sleep(0.5)
        gate.touch()
        texts = {reader.result() for reader in early}
    late = site.follow(job)

    assert texts == {late}
    types = [event.get("type") for event in data_of(late)]
    assert types == ["started", "log", "metric", "done", None]


def test_generation_waits_for_an_exclusive_job_and_goes_on_after_it(site, tmp_path):
    gate = tmp_path / "gate"
    job = site.submit(["wait_for", str(gate)], kind="fake_exclusive")
    site.wait(job, "running")

    with ThreadPoolExecutor(1) as client:
        answer = client.submit(site.chat)
        time.sleep(0.3)
        was_answered = answer.done()
        gate.touch()

        assert answer.result().endswith("hi")
    assert not was_answered
    assert site.wait(job)["status"] == "done"


def test_generation_goes_on_when_an_exclusive_job_is_killed(site, tmp_path):
    pid = tmp_path / "pid"
    job = site.submit(["pid", str(pid)], ["hang"], kind="fake_exclusive")
    process = read_pid(pid)

    os.kill(process, signal.SIGKILL)

    assert site.chat().endswith("hi")
    row = site.wait(job)
    assert (row["status"], "SIGKILL" in row["error"]) == ("failed", True)


def test_exclusive_jobs_run_one_after_the_other_in_their_order(site, tmp_path):
    times = [tmp_path / name for name in "abc"]
    jobs = [
        site.submit(["pid", str(path)], ["sleep", 0.1], kind="fake_exclusive") for path in times
    ]

    rows = [site.wait(job) for job in jobs]

    assert [row["status"] for row in rows] == ["done"] * 3
    assert rows[0]["ended_at"] <= rows[1]["started_at"]
    assert rows[1]["ended_at"] <= rows[2]["started_at"]


def test_jobs_that_share_run_beside_an_exclusive_one(site, tmp_path):
    gate = tmp_path / "gate"
    exclusive = site.submit(["wait_for", str(gate)], kind="fake_exclusive")
    site.wait(exclusive, "running")

    shared = site.wait(site.submit(["log", "x"]))
    gate.touch()

    assert shared["status"] == "done"
    assert site.wait(exclusive)["status"] == "done"


def test_a_job_is_cancelled_in_every_state(site, tmp_path):
    pid = tmp_path / "pid"
    running = site.submit(["pid", str(pid)], ["hang"], kind="fake_exclusive")
    queued = site.submit(["touch", str(tmp_path / "ran")], kind="fake_exclusive")
    process = read_pid(pid)

    rows = [site.cancel(queued), site.cancel(queued)]
    site.cancel(running)
    rows += [site.wait(running), site.cancel(running)]
    follower = site.wait(site.submit(kind="fake_exclusive"))

    assert [(row["status"], row["error"]) for row in rows] == [("failed", "cancelled")] * 4
    assert follower["status"] == "done"
    assert not is_alive(process)
    assert not (tmp_path / "ran").exists()
    assert site.chat().endswith("hi")


def test_a_consumer_that_is_killed_is_replaced_and_its_jobs_fail(site, tmp_path):
    pid, gate = tmp_path / "pid", tmp_path / "gate"
    lost = site.submit(["pid", str(pid)], ["hang"], kind="fake_exclusive")
    later = site.submit(["log", "x"], kind="fake_exclusive")
    process, consumer = read_pid(pid), site.consumer
    gate.touch()

    os.kill(consumer, signal.SIGKILL)

    assert site.chat().endswith("hi")
    row = site.wait(lost)
    assert (row["status"], "ended unexpectedly" in row["error"]) == ("failed", True)
    assert site.wait(later)["status"] == "done"
    assert not is_alive(process)
    assert site.consumer != consumer
    assert not Path(f"/proc/{consumer}").exists()  # reaped


def test_an_end_that_the_database_refuses_is_written_once_it_takes_it(site, tmp_path):
    refuse = """CREATE TRIGGER full BEFORE UPDATE ON jobs_job WHEN NEW.ended_at IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"""
    ran = tmp_path / "ran"
    first, next_one = (
        site.submit(["wait_for", str(tmp_path / "go")], kind="fake_exclusive"),
        site.submit(["touch", str(ran)], kind="fake_exclusive"),
    )
    site.wait(first, "running")
    with contextlib.closing(sqlite3.connect(site.folder / "state" / "db.sqlite3")) as database:
        database.execute(refuse)
        try:
            (tmp_path / "go").touch()
            until(ran.exists)
            assert site.chat().endswith("hi")
            assert site.row(first)["status"] == "running"
        finally:
            database.execute("DROP TRIGGER full")

    for job_id in (first, next_one):
        assert site.wait(job_id)["status"] == "done"
        assert "done" in site.follow(job_id)


def test_a_server_that_is_killed_leaves_zombies_and_no_processes(site, tmp_path):
    """Public case jf-01."""
    pids = [tmp_path / "pid", tmp_path / "child"]
    done = site.submit(["log", "x"])
    site.wait(done)
    running = site.submit(
        ["pid", str(pids[0])], ["start_process", str(pids[1])], ["hang"], kind="fake_exclusive"
    )
    queued = site.submit(kind="fake_exclusive")
    processes = [read_pid(path) for path in pids] + [site.consumer]
    log = Path(site.row(running)["log_path"])

    site.server.process.kill()
    site.server.wait()
    until(lambda: not any(map(is_alive, processes)))
    with log.open("a") as file:
        file.write('{"type":"log","li')
    site.start()
    rows = {row["id"]: row for row in site.call("GET", "/api/jobs")["jobs"]}

    assert [rows[job]["status"] for job in (running, queued, done)] == ["zombie", "zombie", "done"]
    assert rows[running]["ended_at"] is not None
    assert "the server ended before the job did" in rows[queued]["error"]
    events = data_of(site.follow(running))
    assert [event.get("type") for event in events] == ["started", "failed", None]
    assert site.wait(site.submit(kind="fake_exclusive"))["status"] == "done"  # the lease is free


def test_a_server_that_is_stopped_cancels_its_jobs(site, tmp_path):
    pid, clean = tmp_path / "pid", tmp_path / "clean"
    jobs = [
        site.submit(["pid", str(pid)], ["hang"], kind="fake_exclusive", clean_up=str(clean)),
        site.submit(kind="fake_exclusive"),
    ]
    processes = [read_pid(pid), site.consumer]

    with ThreadPoolExecutor(2) as clients:
        answer, events = clients.submit(site.chat), clients.submit(site.follow, jobs[0])
        time.sleep(0.3)
        site.server.signal(signal.SIGTERM)

        assert answer.result().endswith("hi")  # it waited for the job, which had to end first
        assert "event: end" in events.result()
    assert site.server.wait() == 0
    assert not any(map(is_alive, processes))
    assert clean.exists()
    with contextlib.closing(sqlite3.connect(site.folder / "state" / "db.sqlite3")) as database:
        found = database.execute("SELECT id, status, error FROM jobs_job").fetchall()
    for job in jobs:
        assert (job, "failed", "cancelled: the server was stopped") in found


def test_a_consumer_by_itself_runs_the_jobs_of_a_server_that_runs_none(site, tmp_path, request):
    site.signal_and_wait(signal.SIGTERM)
    site.start("--no-jobs")
    waiting, pid = site.submit(["log", "x"]), tmp_path / "pid"
    command = [sys.executable, "manage.py", "run_huey"]
    options = {"cwd": request.config.rootpath, "env": {**os.environ, **site.environment}}

    alone = subprocess.Popen(command, **options, stdout=subprocess.DEVNULL)
    try:
        assert site.wait(waiting)["status"] == "done"
        running = site.submit(["pid", str(pid)], ["hang"], kind="fake_exclusive")
        process = read_pid(pid)
    finally:
        alone.send_signal(signal.SIGINT)
        status = alone.wait(PATIENCE)

    assert status == 0
    assert not is_alive(process)
    assert site.row(running)["error"] == "cancelled: the server was stopped"
