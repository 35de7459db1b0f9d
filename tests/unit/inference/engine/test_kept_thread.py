"""Threads that stay, for what MLX keeps for a thread."""

import threading
import weakref

from inference.engine.kept_thread import KeptThread

SECONDS = 10


class Work:
    """Notes the thread it ran on, and waits there until told to go on."""

    def __init__(self, *, waits=False):
        self.thread = None
        self.go_on = threading.Event()
        if not waits:
            self.go_on.set()

    def __call__(self):
        self.thread = threading.current_thread()
        self.go_on.wait(SECONDS)


def ended(work):
    thread = KeptThread(work)
    thread.start()
    thread.join(SECONDS)
    assert not thread.is_alive()
    return work


def test_a_thread_outlives_what_ran_on_it_and_is_taken_again():
    first = ended(Work())
    second = ended(Work())

    assert first.thread.is_alive()
    assert second.thread is first.thread
    assert first.thread.daemon  # it ends with the process, which never waits for it


def test_two_at_once_have_a_thread_each():
    one, other = Work(waits=True), Work()
    thread = KeptThread(one)
    thread.start()
    ended(other)

    assert thread.is_alive()
    assert other.thread is not one.thread
    one.go_on.set()
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_a_failure_is_logged_and_costs_no_thread(caplog):
    def fail():
        raise RuntimeError("no")

    before = ended(Work()).thread
    ended(fail)

    assert "what ran on an engine's thread failed" in caplog.text
    assert ended(Work()).thread is before


def test_nothing_is_held_of_what_has_run_once_its_end_is_told():
    class Told(KeptThread):
        def end(self):
            self.was_free = reference() is None
            super().end()

    work = Work()
    reference = weakref.ref(work)
    thread = Told(work)
    del work
    thread.start()
    thread.join(SECONDS)

    assert thread.was_free


def test_one_that_was_never_begun_is_not_waited_for():
    thread = KeptThread(Work())
    thread.join()
    assert not thread.is_alive()
