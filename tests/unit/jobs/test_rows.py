"""Changes of rows: who comes too late changes nothing, and nobody is locked out."""

import os
import sqlite3
import subprocess
import sys

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from jobs import rows
from jobs.models import TERMINAL, Job
from jobs.outcome import Outcome

WRITERS = 4
LIVES = int(os.environ.get("JOB_LIVES", "40"))  # of jobs, for each writer


@pytest.fixture
def make_job(db):
    def make(status="queued"):
        ended_at = timezone.now() if status in TERMINAL else None
        return Job.objects.create(kind="fake", log_path="log", status=status, ended_at=ended_at)

    return make


def status_of(job):
    return Job.objects.get(pk=job.pk).status


def test_a_queued_job_is_claimed_once(make_job):
    job = make_job()

    first, second = rows.claim(job.pk, "here/1"), rows.claim(job.pk, "here/2")

    assert (first.status, first.owner, second) == ("running", "here/1", None)
    assert first.started_at is not None


@pytest.mark.parametrize("status", TERMINAL)
def test_a_job_that_is_over_stays_as_it_is(make_job, status):
    job = make_job(status)

    assert rows.claim(job.pk, "here/1") is None
    assert not rows.finish(job.pk, Outcome())
    assert not rows.fail(job.pk, "late")
    assert not rows.request_cancel(job)
    assert rows.mark_zombies([job]) == []
    rows.note_running(job.pk, progress=0.5)

    row = Job.objects.get(pk=job.pk)
    assert (row.status, row.progress, row.error) == (status, 0.0, None)
    assert not row.cancel_requested


def test_a_queued_job_cannot_be_done(make_job):
    job = make_job()

    assert not rows.finish(job.pk, Outcome())

    assert status_of(job) == "queued"


def test_what_a_job_leaves_is_in_its_row(make_job):
    job = make_job()
    rows.claim(job.pk, "here/1")
    rows.note_running(job.pk, pid=7, progress=0.3)

    rows.finish(job.pk, Outcome("/out", {"loss": 0.5}))

    row = Job.objects.get(pk=job.pk)
    assert (row.output_path, row.summary_json, row.progress) == ("/out", '{"loss": 0.5}', 1.0)
    assert row.pid is None


def test_an_outcome_without_a_folder_keeps_the_one_that_was_announced(make_job):
    job = make_job()
    Job.objects.update(output_path="/announced")
    rows.claim(job.pk, "here/1")

    rows.finish(job.pk, Outcome())

    assert Job.objects.get().output_path == "/announced"


def test_an_error_of_any_length_is_kept_in_part(make_job):
    job = make_job()

    rows.fail(job.pk, "x" * 10**6)

    assert len(Job.objects.get().error) == rows.LONGEST_ERROR


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (0.5, 0.5),
        (7, 1.0),
        (-1, 0.0),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        ("1", None),
        (None, None),
    ],
)
def test_a_progress_is_a_share_or_nothing(told, expected):
    assert rows.share(told) == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "dancing"},
        {"status": "done"},
        {"ended_at": timezone.now()},
        {"progress": 1.5},
    ],
)
def test_the_database_refuses_rows_that_make_no_sense(db, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.create(kind="fake", log_path="log", **fields)


def test_processes_that_write_at_once_are_never_locked_out(tmp_path, request):
    path = tmp_path / "db.sqlite3"
    command = [sys.executable, "-m", "tests.plugins.job_writer", str(path)]
    subprocess.run([*command, "0"], check=True, cwd=request.config.rootpath, timeout=60)

    writers = [
        subprocess.Popen(
            [*command, str(LIVES)],
            cwd=request.config.rootpath,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for _ in range(WRITERS)
    ]
    said = [writer.communicate(timeout=300)[0] for writer in writers]

    assert said == [b""] * WRITERS
    with sqlite3.connect(path) as database:
        found = database.execute("SELECT status, count(*) FROM jobs_job GROUP BY 1").fetchall()
    database.close()
    assert found == [("done", WRITERS * LIVES)]
