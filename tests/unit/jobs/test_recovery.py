"""What becomes of jobs that nobody runs any more."""

import subprocess
import sys
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from jobs import recovery
from jobs.models import Job
from jobs.queue import queues
from jobs.recovery import STALE_SECONDS, cancel_queued, consumer_lock, give_up_jobs, host, take_over
from tests.plugins.jobs import events_of

pytestmark = pytest.mark.django_db(transaction=True)

HERE = f"{host()}/1"


@pytest.fixture
def make_running(submit_fake):
    """A job as the consumer of a host left it."""

    def make(owner=HERE, **fields):
        job = submit_fake()
        Job.objects.filter(pk=job.pk).update(status="running", owner=owner, **fields)
        return job

    return make


@pytest.fixture
def statuses():
    return lambda *jobs: [Job.objects.get(pk=job.pk).status for job in jobs]


@pytest.fixture
def shared_queue(jobs_config, settings, monkeypatch):
    """As if the queue were a Redis server's: the same files, under another name."""
    settings.JOBS = replace(jobs_config, queue_url="redis://127.0.0.1:6399")
    ours = {}

    class Queue:
        def put(self, job_id):
            ours[job_id] = None

        def ids(self):
            return set(ours)

        def clear(self):
            pytest.fail("it belongs to others as well")

    monkeypatch.setattr("jobs.queue.queues", lambda: (Queue(), Queue()))
    monkeypatch.setattr(recovery, "queues", lambda: (Queue(), Queue()))
    return ours


def test_a_servers_start_gives_up_what_is_queued_or_running(submit_fake, make_running, statuses):
    """Public case jf-01."""
    queued, running, done = submit_fake(), make_running(), make_running()
    Job.objects.filter(pk=done.pk).update(status="done", ended_at="2026-01-31T00:00:00Z")

    give_up_jobs()

    assert statuses(queued, running, done) == ["zombie", "zombie", "done"]
    row = Job.objects.get(pk=running.pk)
    assert row.ended_at is not None
    assert row.error == "the server ended before the job did; submit the job again"
    assert events_of(row)[-1]["error"] == row.error


def test_a_servers_start_leaves_the_jobs_of_a_living_consumer_alone(
    make_running, statuses, monkeypatch
):
    monkeypatch.setattr(recovery, "GONE_SECONDS", 0.05)
    running = make_running()

    with consumer_lock() as lock:
        assert lock.acquire()
        give_up_jobs()

    assert statuses(running) == ["running"]


def test_with_a_shared_queue_only_what_ran_here_is_given_up(
    shared_queue, submit_fake, make_running, statuses
):
    queued, here, elsewhere = submit_fake(), make_running(), make_running("elsewhere/7")

    give_up_jobs()

    assert statuses(queued, here, elsewhere) == ["queued", "zombie", "running"]


def test_a_machine_that_is_gone_for_good_leaves_no_job_running(
    shared_queue, make_running, statuses
):
    now = timezone.now()
    gone = make_running("elsewhere/7", heartbeat_at=now - timedelta(seconds=STALE_SECONDS + 1))
    slow = make_running("elsewhere/8", heartbeat_at=now - timedelta(seconds=STALE_SECONDS / 2))

    take_over()

    assert statuses(gone, slow) == ["failed", "running"]


def test_a_new_consumer_fails_what_the_last_one_ran_and_queues_the_rest_in_order(
    submit_fake, make_running, statuses
):
    first, lost, cancelled = submit_fake(), make_running(), make_running(cancel_requested=True)
    last = submit_fake()
    queues()[1].clear()  # taken out, and not begun

    take_over()

    assert statuses(first, lost, cancelled, last) == ["queued", "failed", "failed", "queued"]
    assert Job.objects.get(pk=lost.pk).error.startswith("the process that watched the job ended")
    assert Job.objects.get(pk=cancelled.pk).error == "cancelled"
    assert [task.args[0] for task in queues()[1]._huey.pending()] == [first.pk, last.pk]


def test_a_new_consumer_of_a_shared_queue_adds_only_what_is_missing(
    shared_queue, submit_fake, make_running, statuses
):
    waiting, lost = submit_fake(), submit_fake()
    elsewhere = make_running("elsewhere/7")
    del shared_queue[lost.pk]

    take_over()

    assert set(shared_queue) == {waiting.pk, lost.pk, elsewhere.pk}
    assert statuses(elsewhere) == ["running"]


def test_a_new_consumer_waits_for_processes_that_end_themselves(make_running):
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"])
    make_running(pid=process.pid)

    # Unlike an orphan, a child of ours stays until it is waited for.
    threading.Thread(target=process.wait, daemon=True).start()
    take_over()

    assert process.poll() == 0


def test_a_servers_stop_cancels_what_waits(submit_fake, make_running, statuses):
    queued, running = submit_fake(), make_running()

    cancel_queued()

    assert statuses(queued, running) == ["failed", "running"]
    assert Job.objects.get(pk=queued.pk).error == "cancelled: the server was stopped"


def test_jobs_of_a_shared_queue_outlive_the_server(shared_queue, submit_fake, statuses):
    queued = submit_fake()

    cancel_queued()

    assert statuses(queued) == ["queued"]
