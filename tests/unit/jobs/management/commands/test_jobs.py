"""`manage.py jobs`: lists, shows, follows and cancels."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from jobs import text
from jobs.log import LogWriter
from jobs.models import Job

pytestmark = pytest.mark.django_db


def jobs(*arguments):
    output = StringIO()
    call_command("jobs", *arguments, stdout=output)
    return output.getvalue()


def end(job, status="done", **fields):
    Job.objects.filter(pk=job.pk).update(status=status, ended_at=timezone.now(), **fields)


def test_without_jobs_it_says_where_they_come_from():
    assert "submitted in the web app" in jobs()


def test_the_latest_jobs_are_listed_in_columns(submit_fake):
    old, new = submit_fake(), submit_fake(kind="fake_exclusive")
    end(old, "failed", error="the disk is full\nand more")

    lines = jobs().splitlines()

    assert [line.split()[0] for line in lines] == ["Job", new.pk, old.pk]
    assert lines[2].endswith("the disk is full")
    assert len({line.index("fake") for line in lines[1:]}) == 1
    assert len(jobs("list", "--limit", "1").splitlines()) == 2


def test_rows_are_printed_for_programs(submit_fake):
    job = submit_fake()

    (row,) = json.loads(jobs("list", "--json"))

    assert (row["id"], row["status"]) == (job.pk, "queued")


def test_one_job_is_shown_whole(submit_fake):
    job = submit_fake(["log", "x"])

    shown = jobs("show", job.pk)

    assert 'config       {"steps": [["log", "x"]]}' in shown
    assert "started_at   -" in shown


def write(job, *events):
    with LogWriter(Path(job.log_path)) as log:
        for event in events:
            log.append(event)


def test_a_job_is_followed_to_its_end(submit_fake):
    job = submit_fake()
    end(job, output_path="/out")
    write(
        job,
        {"type": "started", "ts": 1},
        {"type": "stage", "stage": "train", "progress": 0.5, "message": "Half way"},
        {"type": "metric", "kind": "train", "step": 3, "loss": 0.12345},
        {"type": "log", "line": "hello"},
    )

    lines = jobs("follow", job.pk).splitlines()

    assert lines == [
        "started",
        " 50% Half way",
        "kind train  step 3  loss 0.1235",
        "hello",
        "done: /out",
    ]


def test_following_a_job_that_fails_fails(submit_fake):
    job = submit_fake()
    end(job, "failed", error="no rows")

    with pytest.raises(CommandError, match=f"{job.pk} is over: failed"):
        jobs("follow", job.pk)


def test_following_waits_for_what_is_still_to_come(submit_fake, monkeypatch):
    job = submit_fake()
    waited = []

    def end_it(seconds):
        waited.append(seconds)
        write(job, {"type": "log", "line": "late"})
        end(job)

    monkeypatch.setattr("time.sleep", end_it)

    assert jobs("follow", job.pk).splitlines() == ["late", "done"]
    assert waited == [0.2]


def test_a_job_is_cancelled(submit_fake):
    job = submit_fake()

    told = jobs("cancel", job.pk)
    again = jobs("cancel", job.pk)

    job.refresh_from_db()
    assert (job.status, job.error) == ("failed", "cancelled")
    assert ("is cancelled" in told, "is over already: failed" in again) == (True, True)


@pytest.mark.parametrize("action", ["show", "follow", "cancel"])
def test_a_job_that_is_not_there_is_an_error(action):
    with pytest.raises(CommandError, match="there is no job 'job_0'"):
        jobs(action, "job_0")


def test_a_state_folder_without_a_database_is_no_traceback(monkeypatch):
    from django.db import OperationalError

    def fail(job_id):
        raise OperationalError("no such table: jobs_job")

    monkeypatch.setattr("jobs.management.commands.jobs.find", fail)

    with pytest.raises(CommandError, match="there are no jobs here: no such table"):
        jobs("show", "job_0")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"type": "stage", "stage": "load", "progress": None}, "     load"),
        ({"type": "metric", "kind": "val", "step": 1, "loss": None}, "kind val  step 1"),
        ({"type": "failed", "error": "x"}, "failed: x"),
        ({"type": "done", "output_dir": None}, "done"),
        ({"type": "unheard of"}, ""),
    ],
)
def test_an_event_is_a_line(event, line):
    assert text.line_of(event) == line
