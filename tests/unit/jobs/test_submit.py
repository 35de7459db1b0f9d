"""Submitting: a row and a log first, then a place in the right queue."""

import json
import sqlite3
from pathlib import Path

import pytest
from django.db import OperationalError, transaction

from jobs.errors import QueueFailed, UnknownKind
from jobs.models import Job
from jobs.queue import queues
from jobs.submit import submit

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("jobs_config", "fake_kinds"),
]


def waiting():
    return [queue.ids() for queue in queues()]


def test_a_job_has_a_row_and_an_empty_log_and_waits():
    job = submit("fake", {"a": "ü"}, output_path="/out")

    row = Job.objects.get()
    assert len(row.id) == 20
    assert row.id.startswith("job_")
    assert int(row.id[4:], 16) >= 0
    assert (row.status, row.kind, json.loads(row.config_json)) == ("queued", "fake", {"a": "ü"})
    assert (row.output_path, row.progress, row.ended_at) == ("/out", 0.0, None)
    assert Path(row.log_path).read_bytes() == b""
    assert waiting() == [set(), {job.id}]


def test_exclusive_jobs_have_a_queue_of_their_own():
    job = submit("fake_exclusive", {})

    assert waiting() == [{job.id}, set()]


def test_inside_a_transaction_a_job_waits_once_that_commits():
    with transaction.atomic():
        job = submit("fake", {})
        before = waiting()

    assert before == [set(), set()]
    assert waiting() == [set(), {job.id}]


def test_a_transaction_that_fails_leaves_no_job():
    with pytest.raises(ArithmeticError), transaction.atomic():
        submit("fake", {})
        raise ArithmeticError

    assert not Job.objects.exists()
    assert waiting() == [set(), set()]


def test_a_kind_that_is_unknown_leaves_nothing(jobs_config):
    with pytest.raises(UnknownKind, match="unknown kind of job 'dance'; there are finetune"):
        submit("dance", {})

    assert not Job.objects.exists()
    assert not jobs_config.directory.exists()


def test_a_queue_that_fails_fails_the_job(monkeypatch):
    def fail(job_id):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(queues()[1], "put", fail)

    with pytest.raises(QueueFailed, match="disk is full"):
        submit("fake", {})

    row = Job.objects.get()
    assert (row.status, "disk is full" in row.error) == ("failed", True)
    assert row.ended_at is not None


def test_a_full_disk_takes_no_job_and_keeps_nothing_of_it(jobs_config, monkeypatch):
    def fail(self, **options):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(Job, "save", fail)

    with pytest.raises(QueueFailed, match="could not be stored: database or disk is full"):
        submit("fake", {})

    assert list(jobs_config.directory.iterdir()) == []


def test_a_folder_that_cannot_be_made_takes_no_job(jobs_config):
    jobs_config.directory.write_text("a file is in the way")

    with pytest.raises(QueueFailed, match="could not be stored"):
        submit("fake", {})

    assert not Job.objects.exists()


@pytest.mark.parametrize("config", [{"lr": float("nan")}, {"lr": float("inf")}])
def test_what_is_no_json_is_not_stored_and_leaves_no_log(jobs_config, config):
    with pytest.raises(ValueError, match="JSON"):
        submit("fake", config)

    assert not jobs_config.directory.exists()


def test_a_path_that_no_row_takes_leaves_no_log(jobs_config):
    with pytest.raises(UnicodeEncodeError):
        submit("fake", {}, output_path="/tmp/\udcff")

    assert list(jobs_config.directory.iterdir()) == []
