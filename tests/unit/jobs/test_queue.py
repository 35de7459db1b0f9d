"""The queues: their order, their storage, and what is written there."""

import sqlite3
import threading
from dataclasses import replace

import pytest
from huey import RedisHuey, SqliteHuey

from jobs.queue import SHARED_WORKERS, queues


def consume(queue, count):
    """Take so many jobs from a queue, with its own workers; returns them in their order."""
    taken, done = [], threading.Event()

    def run(job_id):
        taken.append(job_id)
        if len(taken) == count:
            done.set()

    consumer = queue.make_consumer(run)
    for _, worker in consumer.worker_threads:
        worker.start()
    assert done.wait(10)
    consumer.stop_flag.set()
    for _, worker in consumer.worker_threads:
        worker.join()
    return taken


@pytest.mark.usefixtures("jobs_config")
def test_exclusive_jobs_are_taken_one_by_one_in_their_order():
    exclusive, shared = queues()
    for number in range(20):
        exclusive.put(f"job_{number}")
    shared.put("job_shared")

    assert len(exclusive.make_consumer(print).worker_threads) == 1
    assert len(shared.make_consumer(print).worker_threads) == SHARED_WORKERS
    assert consume(exclusive, 20) == [f"job_{number}" for number in range(20)]
    assert shared.ids() == {"job_shared"}


@pytest.mark.usefixtures("jobs_config")
def test_a_cleared_queue_is_empty():
    queue, _ = queues()
    queue.put("job_1")

    queue.clear()

    assert queue.ids() == set()


def test_what_waits_is_written_as_text(jobs_config):
    queues()[0].put("job_1")

    with sqlite3.connect(jobs_config.queue_path) as database:
        ((data,),) = database.execute("SELECT data FROM task").fetchall()
    database.close()
    assert b'"job_1"' in data  # JSON: a pickle would run code of whoever wrote it


def test_a_sqlite_file_is_the_queue_unless_a_redis_server_is_named(jobs_config, settings):
    local = [queue._huey for queue in queues()]
    settings.JOBS = replace(jobs_config, queue_url="redis://127.0.0.1:6399/3")
    shared = [queue._huey for queue in queues()]

    assert [type(huey) for huey in local] == [SqliteHuey] * 2
    assert [type(huey) for huey in shared] == [RedisHuey] * 2
    options = shared[0].storage.pool.connection_kwargs
    assert (options["host"], options["port"], options["db"]) == ("127.0.0.1", 6399, 3)
    assert shared[0].storage.queue_key != shared[1].storage.queue_key
