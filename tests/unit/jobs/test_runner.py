"""Jobs in their own processes: how they end, and what rows and logs say then."""

import json
import resource
import threading
import time
from pathlib import Path

import pytest
from django.db import IntegrityError, OperationalError
from django.db.models import QuerySet

from jobs import rows
from jobs.cancel import cancel
from jobs.kinds import KINDS
from jobs.lease import Unleased
from jobs.log import LogReader
from jobs.models import Job
from jobs.queue import queues
from jobs.runner import WAITING, Runner
from jobs.watch import Watch
from tests.plugins.jobs import events_of


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def eventually(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def lines_of(job):
    return [event["line"] for event in events_of(job) if event["type"] == "log"]


def test_a_job_runs_to_its_end(run_fake, tmp_path):
    job = run_fake(
        ["stage", "half", 0.5, "Half way"],
        ["metric", "train", 3, 0.25],
        output_dir=str(tmp_path),
        summary={"loss": 0.25},
    )

    assert (job.status, job.progress, job.message) == ("done", 1.0, "Half way")
    assert (job.error, job.output_path, job.pid) == (None, str(tmp_path), None)
    assert json.loads(job.summary_json) == {"loss": 0.25}
    assert job.created_at <= job.started_at <= job.ended_at
    started, stage, metric, done = events_of(job)
    assert started == {"type": "started", "ts": int(job.started_at.timestamp() * 1000)}
    assert stage == {"type": "stage", "stage": "half", "progress": 0.5, "message": "Half way"}
    assert metric == {"type": "metric", "kind": "train", "step": 3, "loss": 0.25}
    assert done == {
        "type": "done",
        "ts": int(job.ended_at.timestamp() * 1000),
        "output_dir": str(tmp_path),
        "summary": {"loss": 0.25},
    }


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (["fail", "the folder is empty; name another"], "the folder is empty; name another"),
        (["quit", 3], "SystemExit: 3"),
        (["exit", 4], "the job's process ended with status 4"),
    ],
)
def test_a_job_that_fails_says_why(run_fake, step, error):
    job = run_fake(step)

    assert (job.status, job.error) == ("failed", error)
    assert events_of(job)[-1] == {
        "type": "failed",
        "error": error,
        "ts": int(job.ended_at.timestamp() * 1000),
    }


def test_a_job_that_crashes_says_why_and_its_log_says_where(run_fake):
    job = run_fake(["crash", "overflow"])

    assert (job.status, job.error) == ("failed", "RuntimeError: overflow")
    assert lines_of(job)[0] == "Traceback (most recent call last):"


def test_a_job_that_dies_by_a_signal_fails_with_its_last_lines(run_fake):
    job = run_fake(["write", "loading\n"], ["write", "layer 3"], ["kill", "SIGSEGV"])

    assert job.status == "failed"
    assert "was killed by SIGSEGV" in job.error
    assert job.error.endswith("its last lines:\nloading\nlayer 3")
    assert lines_of(job) == ["loading", "layer 3"]


def test_a_job_that_others_tell_to_end_says_so(run_fake):
    job = run_fake(["kill", "SIGTERM"])

    assert (job.status, job.error) == ("failed", "the job's process was told to end from outside")


def test_what_a_job_prints_becomes_lines_of_its_log(run_fake):
    bar = "10%\r20%\r\x1b[32m30%\x1b[0m\n"
    job = run_fake(["write", bar], ["log", "told"], ["write", '{"type":"done"}\n'])

    assert sorted(lines_of(job)) == ["10%", "20%", "30%", "told", '{"type":"done"}']
    assert job.status == "done"


def test_what_a_job_started_ends_with_it(run_fake, tmp_path):
    pid_file = tmp_path / "pid"

    job = run_fake(["start_process", str(pid_file)])

    assert job.status == "done"
    eventually(lambda: not is_alive(int(pid_file.read_text())))


def test_a_large_config_arrives_whole_and_standard_input_is_empty_behind_it(run_fake):
    job = run_fake(["stdin"], padding="é" * 500_000)

    assert (job.status, lines_of(job)) == ("done", ["''"])


@pytest.fixture
def cancel_when(monkeypatch):
    """Call with a file: the job is cancelled once that is there."""

    def cancel_when(path):
        monkeypatch.setattr(rows, "is_cancel_requested", lambda job_id: path.exists())

    return cancel_when


def test_a_running_job_that_is_cancelled_cleans_up_and_fails(run_fake, cancel_when, tmp_path):
    clean_up, pid_file, ready = (tmp_path / name for name in ("clean", "pid", "ready"))
    cancel_when(ready)

    job = run_fake(
        ["start_process", str(pid_file)], ["touch", str(ready)], ["hang"], clean_up=str(clean_up)
    )

    assert (job.status, job.error) == ("failed", "cancelled")
    assert clean_up.read_text() == "clean"
    assert events_of(job)[-1]["error"] == "cancelled"
    eventually(lambda: not is_alive(int(pid_file.read_text())))


def test_a_cancelled_job_that_does_not_end_is_killed(run_fake, cancel_when, tmp_path, monkeypatch):
    monkeypatch.setattr("jobs.watch.GRACE", 0.1)
    cancel_when(tmp_path / "ready")

    job = run_fake(["ignore_term"], ["touch", str(tmp_path / "ready")], ["hang"])

    assert (job.status, job.error) == ("failed", "cancelled")


def test_a_job_that_is_done_before_it_hears_of_its_end_is_done(run_fake, cancel_when, tmp_path):
    ready = tmp_path / "ready"
    cancel_when(ready)

    job = run_fake(["ignore_term"], ["touch", str(ready)], ["sleep", 0.6])

    assert job.status == "done"


def test_a_cancelled_job_never_starts(submit_fake, tmp_path):
    job = submit_fake(["touch", str(tmp_path / "ran")])

    cancel(job.pk)
    Runner(owner="here/1", lease=Unleased()).run(job.pk)

    job.refresh_from_db()
    assert (job.status, job.error, job.started_at) == ("failed", "cancelled", None)
    assert not (tmp_path / "ran").exists()
    assert [event["type"] for event in events_of(job)] == ["failed"]


class Refusing(Unleased):
    """A lease that is never granted, and notes what happens."""

    def __init__(self, on_wait=lambda: None):
        self.words = []
        self.on_wait = on_wait

    def ask(self, job_id):
        self.words.append("ask")

    def wait(self, job_id, seconds):
        self.words.append("wait")
        self.on_wait()
        return False

    def give_back(self, job_id):
        self.words.append("give back")


def test_an_exclusive_job_waits_for_its_lease_and_is_queued_meanwhile(submit_fake):
    job = submit_fake(kind="fake_exclusive")
    lease = Refusing()

    def look():
        job.refresh_from_db()
        if lease.words.count("wait") == 2:
            assert (job.status, job.message) == ("queued", WAITING)
            cancel(job.pk)

    lease.on_wait = look
    Runner(owner="here/1", lease=lease).run(job.pk)

    job.refresh_from_db()
    assert job.error == "cancelled"
    assert lease.words == ["ask", "wait", "wait", "give back"]


def test_an_exclusive_job_gives_its_lease_back_when_it_fails(submit_fake):
    lease = Refusing()
    lease.wait = lambda job_id, seconds: True
    job = submit_fake(["kill", "SIGKILL"], kind="fake_exclusive")

    Runner(owner="here/1", lease=lease).run(job.pk)

    assert lease.words == ["ask", "give back"]


def test_a_job_that_needs_no_accelerator_asks_for_no_lease(submit_fake):
    lease = Refusing()

    Runner(owner="here/1", lease=lease).run(submit_fake().pk)

    assert lease.words == []


def test_a_kind_that_is_gone_fails_its_jobs(run_fake, monkeypatch, submit_fake):
    job = submit_fake()
    monkeypatch.delitem(KINDS, "fake")

    Runner(owner="here/1", lease=Unleased()).run(job.pk)

    job.refresh_from_db()
    assert job.status == "failed"
    assert "unknown kind of job 'fake'" in job.error


def test_a_job_whose_process_cannot_be_started_fails(submit_fake, monkeypatch):
    job = submit_fake()
    monkeypatch.setattr("sys.executable", "/nowhere/python")

    Runner(owner="here/1", lease=Unleased()).run(job.pk)

    job.refresh_from_db()
    assert job.status == "failed"
    assert "No such file" in job.error
    assert [event["type"] for event in events_of(job)] == ["started", "failed"]


def test_a_job_that_is_run_twice_runs_once(submit_fake):
    job = submit_fake(["log", "once"])
    runner = Runner(owner="here/1", lease=Unleased())

    runner.run(job.pk)
    runner.run(job.pk)
    runner.run("job_0000000000000000")

    assert lines_of(job) == ["once"]


def test_progress_reaches_the_row_while_the_job_runs(run_fake, monkeypatch, tmp_path):
    seen = []

    def look(job_id):
        seen.append(Job.objects.values_list("progress", "message", "pid").get(pk=job_id))
        (tmp_path / "seen").touch() if seen[-1][0] else None
        return False

    monkeypatch.setattr(rows, "is_cancel_requested", look)
    job = run_fake(
        ["stage", "odd", 7, "More than all"],
        ["write_event", '{"type":"metric","kind":"train","step":1,"loss":NaN}\n'],
        ["wait_for", str(tmp_path / "seen")],
    )

    assert seen[-1][:2] == (1.0, "More than all")
    assert seen[0][2] is not None
    assert events_of(job)[2]["loss"] is None


def test_stopping_ends_jobs_and_says_why(submit_fake, monkeypatch, tmp_path):
    runner = Runner(owner="here/1", lease=Unleased())
    job = submit_fake(["touch", str(tmp_path / "runs")], ["hang"])

    def stop_when_it_runs(job_id):
        if (tmp_path / "runs").exists():
            runner.stop("cancelled: the server was stopped")
        return False

    monkeypatch.setattr(rows, "is_cancel_requested", stop_when_it_runs)
    runner.run(job.pk)

    job.refresh_from_db()
    assert (job.status, job.error) == ("failed", "cancelled: the server was stopped")


@pytest.mark.parametrize("when", ["before", "while it waits"])
def test_what_cannot_begin_before_a_stop_goes_back_to_the_queue(submit_fake, when):
    lease = Refusing()
    runner = Runner(owner="here/1", lease=lease)
    lease.on_wait = lambda: runner.stop("cancelled: the server was stopped")
    if when == "before":
        runner.stop("cancelled: the server was stopped")
    job = submit_fake(kind="fake_exclusive")

    runner.run(job.pk)

    job.refresh_from_db()
    assert job.status == "queued"
    assert queues()[0].ids() == {job.pk}


def test_stopping_without_a_word_leaves_the_rows_to_the_next_server(
    submit_fake, monkeypatch, tmp_path
):
    runner = Runner(owner="here/1", lease=Unleased())
    job = submit_fake(["pid", str(tmp_path / "pid")], ["hang"])

    def stop_when_it_runs(job_id):
        if (tmp_path / "pid").exists():
            runner.stop(None)
        return False

    monkeypatch.setattr(rows, "is_cancel_requested", stop_when_it_runs)
    runner.run(job.pk)

    job.refresh_from_db()
    assert job.status == "running"
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_full_disk_tears_the_log_and_not_the_job(run_fake):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))  # of this process, which logs
    try:
        job = run_fake(*[["log", "x" * 150]] * 20, ["stage", "end", 0.9], summary={"n": 20})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert (job.status, job.progress, json.loads(job.summary_json)) == ("done", 1.0, {"n": 20})
    read = LogReader(Path(job.log_path)).read()
    assert Path(job.log_path).stat().st_size == 2000
    assert {event["type"] for event in read} == {"started", "log"}


class FullDisk(threading.Event):
    def __init__(self):
        super().__init__()
        self.refusals, self.refused, self.lost = 0, lambda: None, None


@pytest.fixture
def full_disk(monkeypatch):
    """An event: while it is set, the disk takes no row.

    refused: called after each refusal. lost: a change that is written, and refused all the same.
    """
    full, write = FullDisk(), QuerySet.update

    def update(self, **changes):
        if full.is_set():
            if full.lost is not None and full.lost(changes):
                write(self, **changes)
            full.refusals += 1
            full.refused()
            raise OperationalError("database or disk is full")
        return write(self, **changes)

    monkeypatch.setattr(QuerySet, "update", update)
    monkeypatch.setattr("jobs.runner.RETRY_SECONDS", 0.01)
    return full


@pytest.mark.parametrize(
    ("step", "end"),
    [(["log", "done"], ("done", None)), (["fail", "it broke"], ("failed", "it broke"))],
)
def test_a_job_that_ends_on_a_full_disk_is_over_once_there_is_space(
    submit_fake, full_disk, monkeypatch, step, end
):
    runner = Runner(owner="here/1", lease=Unleased())
    job, later = submit_fake(step, kind="fake_exclusive"), submit_fake()
    monkeypatch.setattr("jobs.runner.Watch", filled_before_the_end(full_disk))

    runner.run(job.pk)
    runner.settle_rest()

    job.refresh_from_db()
    assert (job.status, job.ended_at) == ("running", None)

    full_disk.clear()
    runner.settle_rest()
    monkeypatch.setattr("jobs.runner.Watch", Watch)
    runner.run(later.pk)

    job.refresh_from_db()
    later.refresh_from_db()
    assert (job.status, job.error) == end
    assert later.status == "done"
    assert events_of(job)[-1]["type"] == job.status


def filled_before_the_end(full_disk):
    class FillingWatch(Watch):
        def follow(self):
            verdict = super().follow()
            full_disk.set()
            return verdict

    return FillingWatch


def test_a_job_that_cannot_begin_on_a_full_disk_begins_once_there_is_space(submit_fake, full_disk):
    lease = Refusing()
    lease.wait = lambda job_id, seconds: True
    job = submit_fake(kind="fake_exclusive")
    full_disk.set()
    full_disk.refused = lambda: full_disk.refusals == 3 and full_disk.clear()

    Runner(owner="here/1", lease=lease).run(job.pk)

    job.refresh_from_db()
    assert (job.status, lease.words) == ("done", ["ask", "give back"])
    assert full_disk.refusals == 3


@pytest.mark.parametrize("kind", ["fake", "fake_exclusive"])
def test_a_job_that_was_begun_though_the_answer_was_lost_runs_once(submit_fake, full_disk, kind):
    job = submit_fake(["log", "once"], kind=kind)
    lease = Refusing()

    def wait(job_id, seconds):
        full_disk.set() if not full_disk.refusals else None
        return True

    lease.wait = wait
    full_disk.set() if kind == "fake" else None
    full_disk.lost = lambda changes: changes.get("status") == "running"
    full_disk.refused = full_disk.clear

    Runner(owner="here/1", lease=lease).run(job.pk)

    job.refresh_from_db()
    assert (job.status, lines_of(job), full_disk.refusals) == ("done", ["once"], 1)


def test_a_job_whose_claim_was_lost_before_a_stop_goes_back_to_the_queue(submit_fake, full_disk):
    job = submit_fake()
    runner = Runner(owner="here/1", lease=Unleased())
    full_disk.set()
    full_disk.lost = lambda changes: True

    def stop():
        full_disk.clear()
        runner.stop("cancelled: the server was stopped")

    full_disk.refused = stop
    runner.run(job.pk)

    job.refresh_from_db()
    assert (job.status, job.owner, job.started_at) == ("queued", "", None)
    assert queues()[1].ids() == {job.pk}


def test_a_job_that_runs_is_not_taken_on_again(submit_fake, full_disk, monkeypatch):
    runner = Runner(owner="here/1", lease=Unleased())
    job = submit_fake(["log", "once"])

    class WatchedTwice(Watch):
        def follow(self):
            full_disk.set()
            full_disk.refused = full_disk.clear
            runner.run(self._job_id)
            full_disk.clear()
            return super().follow()

    monkeypatch.setattr("jobs.runner.Watch", WatchedTwice)
    runner.run(job.pk)

    job.refresh_from_db()
    assert (job.status, lines_of(job)) == ("done", ["once"])


def test_what_is_no_matter_of_time_fails_a_job_that_cannot_begin(submit_fake, monkeypatch):
    def refuse(job_id, owner):
        raise IntegrityError("a constraint is broken")

    monkeypatch.setattr(rows, "claim", refuse)
    job = submit_fake()

    Runner(owner="here/1", lease=Unleased()).run(job.pk)

    job.refresh_from_db()
    assert (job.status, job.error) == (
        "failed",
        "the job could not be run: a constraint is broken",
    )


def test_what_is_no_event_among_events_is_a_line_and_a_huge_one_is_left_out(run_fake):
    job = run_fake(
        ["write_event", "torn{\n"],
        ["write_event", json.dumps({"type": "metric", "note": "x" * 300_000}) + "\n"],
        summary={"large": "x" * 300_000},
    )

    assert job.status == "done"
    assert len(json.loads(job.summary_json)["large"]) == 300_000
    assert lines_of(job)[0] == "torn{"
    assert lines_of(job)[1].startswith("… an event of 300,")


def test_a_database_that_cannot_be_reached_does_not_end_a_job(run_fake, monkeypatch, caplog):
    def fail(job_id, **changes):
        raise OperationalError("database is locked")

    monkeypatch.setattr(rows, "note_running", fail)

    job = run_fake(["sleep", 0.3])

    assert job.status == "done"
    assert "cannot be reached: database is locked" in caplog.text


def test_half_a_character_costs_no_more_than_itself(run_fake):
    odd = {"type": "stage", "stage": "a\ud800", "progress": 0.5, "message": "b\udfff\0"}

    job = run_fake(
        ["log", "c\ud83d"],
        ["write_event", json.dumps(odd) + "\n"],
        ["fail", "d\ud800"],
    )

    assert (job.status, job.error, job.message) == ("failed", "d\ufffd", "b\ufffd\ufffd")
    assert events_of(job)[1]["line"] == "c\ufffd"
    assert events_of(job)[2]["stage"] == "a\ufffd"
