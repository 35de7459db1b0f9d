"""The writer: what it writes when, and that nobody waits for it. Over a scripted engine."""

import asyncio
import errno
import shutil
import threading
import time

import pytest

from inference.engine.cache.ssd import dirty_keys, entry_writer
from inference.engine.cache.ssd import writer as writer_module
from inference.engine.cache.ssd.index import EntryIndex
from inference.engine.cache.ssd.spill_queue import Reason
from tests.plugins.scripted_engine import PATIENCE, make_sequence, read
from tests.plugins.ssd_desk import Desk, wait_for
from tests.plugins.ssd_entries import make_spill


@pytest.fixture
def open_desk(tmp_path, step_gate):
    desks = []

    def make(**options):
        desks.append(Desk(tmp_path, step_gate, **options))
        return desks[-1]

    yield make
    step_gate.open()
    for desk in desks:
        desk.close()


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(writer_module, "SETTLE_SECONDS", 0.05)
    monkeypatch.setattr(writer_module, "BUSY_SECONDS", 0.1)


def test_a_flush_makes_durable_what_is_in_memory(open_desk):
    desk = open_desk()
    desk.remember(1, 2, 3)
    desk.remember(7, 8, can_trim=False)

    report = desk.flush()

    assert report.durable
    assert (report.flushed, report.entries, report.longest_prefix) == (2, 2, 3)
    assert desk.index.covers([1, 2, 3], "") and desk.index.covers([7, 8], "")
    assert desk.pending.pending_snapshots == 0


def test_what_is_durable_is_not_written_again(open_desk):
    desk = open_desk()
    desk.remember(1, 2, 3)
    desk.flush()

    desk.remember(1, 2)
    report = desk.flush()

    assert report.durable
    assert (report.flushed, desk.counters.spills) == (0, 1)


def test_a_flush_notices_that_files_were_deleted(open_desk):
    """What is in memory is written again; the rest is no longer counted, nor is it missing."""
    desk = open_desk(write_behind=False)
    desk.remember(1, 2, 3)
    desk.remember(7, 8, can_trim=False)
    desk.flush()
    shutil.rmtree(desk.folder.path)
    del desk.memory.entries["", (7, 8)]

    report = desk.flush()

    assert report.durable
    assert (report.flushed, report.missing, report.entries) == (1, 0, 1)
    assert len([path for path in desk.files() if path.is_file()]) == 1


def test_what_somebody_deleted_is_written_when_it_comes_again(open_desk):
    desk = open_desk(write_behind=False)
    desk.remember(1, 2, 3)
    desk.flush()
    shutil.rmtree(desk.folder.path)

    desk.remember(1, 2)

    wait_for(lambda: desk.pending.pending_snapshots)
    assert desk.flush().durable
    assert desk.index.covers([1, 2], "")


def test_unless_it_left_the_memory_before_that_was_noticed(open_desk):
    desk = open_desk(write_behind=False)
    desk.remember(1, 2, 3)
    desk.flush()
    shutil.rmtree(desk.folder.path)
    gate = threading.Event()
    desk.engine.interject(gate.wait)
    desk.remember(1, 2)
    desk.memory.entries.clear()
    gate.set()

    report = desk.flush()

    assert report.durable
    assert (report.missing, report.entries) == (0, 0)


def test_the_disk_is_asked_on_the_thread_of_the_writer_alone(open_desk):
    askers = []

    def exists(path):
        askers.append(threading.current_thread().name)
        return path.exists()

    desk = open_desk(index=EntryIndex(exists), demote_idle_seconds=0.2)
    desk.remember(1, 2, 3)
    desk.flush()

    desk.remember(1, 2)
    wait_for(lambda: askers)
    desk.flush()

    assert set(askers) == {"ssd-cache"}


def test_a_folder_that_cannot_be_listed_fails_a_flush(open_desk, monkeypatch):
    desk = open_desk(write_behind=False)

    def refuse():
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(desk.folder, "scan", refuse)
    report = desk.flush()

    assert (report.durable, report.failed) == (False, 1)


def test_a_snapshot_that_is_nowhere_stays_pending(open_desk):
    """However often one flushes: trying again makes nothing durable that is lost."""
    desk = open_desk()
    desk.remember(1, 2)
    desk.memory.entries.clear()

    reports = [desk.flush() for _ in range(3)]

    assert [(r.durable, r.missing, r.pending_snapshots) for r in reports] == [(False, 1, 1)] * 3


def test_what_a_failed_step_took_along_is_missing(open_desk):
    desk = open_desk(write_behind=False)
    gate = threading.Event()
    desk.engine.interject(gate.wait)
    desk.writer.put(make_spill([7, 8], reason=Reason.EVICTION))
    wait_for(lambda: desk.idle.is_due(idle=True))
    desk.writer.put(make_spill([9], reason=Reason.EVICTION))
    desk.remember(1, 2)
    desk.memory.entries.clear()
    desk.writer.forget()
    gate.set()

    report = desk.flush()

    assert (report.durable, report.missing, report.pending_snapshots) == (False, 1, 1)
    assert (desk.counters.dropped, report.dropped, report.pending_spills) == (1, 0, 0)


def test_none_of_many_that_are_in_memory_is_left_out(open_desk):
    desk = open_desk(write_behind=False, max_bytes=10**9, queue_bytes=10**9)
    for number in range(1030):
        desk.remember(number, 2, can_trim=False, sizes=(8,))

    assert desk.pending.pending_snapshots == 1030
    desk.memory.entries.clear()
    report = desk.flush()

    assert (report.durable, report.missing) == (False, 1030)


def test_nothing_is_missing_that_left_the_memory_and_waited_to_be_written(open_desk, monkeypatch):
    """However many that are while the engine is busy."""
    monkeypatch.setattr(dirty_keys, "MOST_LOST", 4)
    desk = open_desk(write_behind=False)
    gate = threading.Event()
    desk.engine.interject(gate.wait)
    for number in range(40):
        spill = desk.remember(number, 2, can_trim=False, sizes=(8,))
        desk.memory.entries.clear()
        spill.reason = Reason.EVICTION
        desk.writer.put(spill)
    gate.set()

    report = desk.flush()

    assert report.durable
    assert (report.missing, report.pending_snapshots, report.entries) == (0, 0, 40)


def test_nor_is_what_leaves_the_memory_amid_a_flush(open_desk, monkeypatch):
    desk = open_desk(write_behind=False)
    desk.remember(1, 2)
    monkeypatch.setattr(dirty_keys, "MOST_LOST", 0)  # what is taken to be lost stays so

    def evict(key):
        spill = desk.memory.entries.pop(key, None)
        if spill is not None:
            desk.writer.put(make_spill([1, 2], reason=Reason.EVICTION))

    desk.memory.spill_of = evict
    report = desk.flush()

    assert report.durable
    assert (report.missing, report.entries) == (0, 1)


def test_one_that_was_lost_is_clean_once_a_longer_one_covers_it(open_desk):
    desk = open_desk()
    desk.remember(1, 2)
    desk.memory.entries.clear()
    desk.writer.put(make_spill([1, 2, 3, 4], reason=Reason.EVICTION))

    assert desk.flush().durable


def test_new_prefixes_are_written_when_things_have_settled(open_desk, quick):
    desk = open_desk()

    desk.remember(1, 2, 3)

    assert desk.pending.pending_snapshots == 1
    wait_for(lambda: desk.pending.pending_snapshots == 0)
    assert desk.counters.spills == 1


def test_that_is_not_put_off_for_ever(open_desk, quick, monkeypatch):
    monkeypatch.setattr(writer_module, "SETTLE_SECONDS", 1000)
    monkeypatch.setattr(writer_module, "UNSETTLED_SECONDS", 0.1)
    desk = open_desk()

    def keep_coming():
        desk.remember(len(desk.memory.entries) + 1, 2)
        return desk.counters.spills

    wait_for(keep_coming)


def test_unless_that_was_turned_off(open_desk, quick):
    desk = open_desk(write_behind=False)

    desk.remember(1, 2, 3)
    time.sleep(0.2)

    assert (desk.pending.pending_snapshots, desk.counters.spills) == (1, 0)
    assert desk.flush().flushed == 1


async def test_nothing_is_copied_while_a_request_runs(open_desk, quick, step_gate):
    desk = open_desk()
    step_gate.hold = lambda plan: bool(plan.decodes)
    stream = desk.engine.submit(make_sequence(max_tokens=3))
    await step_gate.wait()
    snapshot = desk.remember(1, 2, 3)
    eviction = make_spill([4, 5], reason=Reason.EVICTION)
    desk.writer.put(eviction)
    await asyncio.sleep(0.2)

    assert (snapshot.packed.taken, eviction.packed.taken) == ([], [])
    assert desk.pending.pending_spills == 1

    step_gate.open()
    await read(stream)
    await asyncio.to_thread(wait_for, lambda: desk.counters.spills == 2)


async def test_no_request_waits_for_a_slow_disk(open_desk, monkeypatch):
    desk = open_desk(write_behind=False)
    at_it, finish = threading.Event(), threading.Event()
    write = entry_writer.entry_io.write

    def write_slowly(file, header, take):
        at_it.set()
        assert finish.wait(PATIENCE)
        write(file, header, take)

    monkeypatch.setattr(entry_writer.entry_io, "write", write_slowly)
    desk.remember(1, 2, 3)
    flush = desk.writer.flush()
    assert await asyncio.to_thread(at_it.wait, PATIENCE)

    answers = [await read(desk.engine.submit(make_sequence())) for _ in range(3)]

    assert all(len(answer) == 3 for answer in answers)
    assert not flush.done()
    finish.set()
    assert (await asyncio.wrap_future(flush)).durable


async def test_a_flush_goes_on_between_the_steps_of_a_request(open_desk):
    desk = open_desk(write_behind=False)
    desk.remember(1, 2, 3)
    stream = desk.engine.submit(make_sequence(max_tokens=10**6))
    while desk.engine.stats().active == 0:
        await asyncio.sleep(0.001)

    report = await asyncio.wrap_future(desk.writer.flush())

    assert report.durable
    assert desk.engine.stats().active == 1
    desk.engine.abort("any")
    del stream


async def test_a_checkpoint_is_written_while_its_request_runs(open_desk):
    desk = open_desk()
    path = desk.folder.generation_path("a" * 32)
    desk.engine.submit(make_sequence(max_tokens=10**6))
    while desk.engine.stats().active == 0:
        await asyncio.sleep(0.001)

    desk.writer.put(make_spill([9], reason=Reason.EVICTION))  # waits, but must not block it
    desk.writer.put(make_spill([1, 2], reason=Reason.GENERATION, path=path))

    await asyncio.to_thread(wait_for, path.exists)


def test_what_is_cancelled_while_it_is_written_is_known_until_it_is_gone(open_desk, monkeypatch):
    desk = open_desk()
    path = desk.folder.generation_path("a" * 32)
    at_it, finish = threading.Event(), threading.Event()
    discard = desk.folder.discard

    def discard_late(path):
        if threading.current_thread().name == "ssd-cache":
            at_it.set()
            assert finish.wait(PATIENCE)
        discard(path)

    monkeypatch.setattr(desk.folder, "discard", discard_late)
    gate = threading.Event()
    desk.engine.interject(gate.wait)
    desk.writer.put(make_spill([1, 2], reason=Reason.GENERATION, path=path))
    wait_for(lambda: desk.idle.is_due(idle=True))
    desk.writer.cancel(path)
    gate.set()
    assert at_it.wait(PATIENCE)

    assert path.exists() and desk.writer.is_cancelled(path)
    finish.set()
    wait_for(lambda: not desk.writer.is_cancelled(path))
    assert not path.exists()


def test_what_is_over_the_limit_of_the_queue_is_dropped_and_can_be_retried(open_desk):
    desk = open_desk(queue_bytes=150, write_behind=False)
    gate = threading.Event()
    desk.engine.interject(gate.wait)  # the engine does nothing else meanwhile
    kept = desk.remember(1, 2, sizes=(100,))
    desk.writer.put(kept)
    wait_for(lambda: any(path.suffix == ".partial" for path in desk.files()))
    dropped = desk.remember(3, 4, sizes=(100,))
    desk.writer.put(dropped)
    desk.writer.put(make_spill([5, 6], sizes=(100,), reason=Reason.EVICTION))

    assert (desk.counters.dropped, desk.pending.pending_spills) == (1, 2)
    gate.set()
    report = desk.flush()

    assert report.durable
    assert desk.index.covers([3, 4], "") and desk.index.covers([5, 6], "")


def test_a_full_disk_warns_once_and_stores_nothing(open_desk, monkeypatch, caplog):
    desk = open_desk()

    def write(file, header, take):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(entry_writer.entry_io, "write", write)
        desk.remember(1, 2)
        desk.remember(3, 4)
        report = desk.flush()

    assert not report.durable
    assert (report.failed, report.pending_snapshots, report.entries) == (2, 2, 0)
    assert len(caplog.records) == 1
    assert [path for path in desk.files() if path.is_file()] == []
    assert desk.flush().durable


def test_an_entry_over_the_limit_of_the_disk_fails(open_desk, caplog):
    desk = open_desk(max_bytes=1000)
    desk.remember(1, 2, sizes=(5000,))

    report = desk.flush()

    assert (report.durable, report.failed, desk.folder.used_bytes) == (False, 1, 0)
    assert "over the limit of 1,000" in caplog.text


def test_what_nobody_uses_is_looked_for_while_the_engine_is_idle(open_desk):
    desk = open_desk(demote_idle_seconds=0.2)

    wait_for(lambda: desk.counters.demotions >= 4)

    assert set(desk.memory.demoted) == {0.2}


def test_that_ends_with_the_piece_in_which_something_more_urgent_came(open_desk, monkeypatch):
    monkeypatch.setattr(writer_module, "_SWEEPS", (0.05, 0.05))
    desk = open_desk(demote_idle_seconds=1000)
    flushes, late = [], []

    def demote(unused_seconds):
        flushes.append(desk.writer.flush())
        yield 0
        late.append(unused_seconds)

    desk.memory.demote = demote
    wait_for(lambda: len(flushes) >= 2)

    assert flushes[0].result(PATIENCE).durable
    assert late == []


def test_nothing_leaves_the_memory_for_a_disk_that_does_not_take_it(open_desk, monkeypatch):
    desk = open_desk(demote_idle_seconds=0.2, write_behind=False)

    def write(file, header, take):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(entry_writer.entry_io, "write", write)
        desk.remember(1, 2)
        assert not desk.flush().durable
        failed = desk.counters.failed
        wait_for(lambda: desk.counters.failed >= failed + 2)
        assert not desk.writer.has_room_for(1)

    wait_for(lambda: desk.writer.has_room_for(1))
    assert desk.index.covers([1, 2], "")


def test_a_flush_that_comes_during_another_has_what_came_meanwhile(open_desk):
    desk = open_desk(write_behind=False)
    gate = threading.Event()
    desk.remember(1, 2)
    desk.engine.interject(gate.wait)
    first = desk.writer.flush()
    wait_for(lambda: desk.idle.is_due(idle=True))  # it waits for the engine
    desk.remember(3, 4)
    second = desk.writer.flush()
    gate.set()

    assert first.result(PATIENCE).flushed == 2
    assert second.result(PATIENCE).durable
    assert desk.index.covers([3, 4], "")


def test_a_flush_ends_though_prefixes_keep_coming(open_desk):
    desk = open_desk()
    spill_of = desk.memory.spill_of

    def spill_and_remember(key):
        if len(desk.memory.entries) < 1000:
            desk.remember(len(desk.memory.entries) + 1, 2)
            desk.writer.put(make_spill([len(desk.memory.entries), 3], reason=Reason.EVICTION))
        return spill_of(key)

    desk.memory.spill_of = spill_and_remember
    desk.remember(1, 2)

    report = desk.flush()

    assert report.flushed == 2
    assert (report.durable, report.missing, report.pending_snapshots) == (False, 0, 1)


def test_what_is_missing_counts_once_however_often_it_is_looked_for(open_desk):
    desk = open_desk(write_behind=False)
    spill_of = desk.memory.spill_of

    def lose_and_remember(key):
        desk.memory.entries.pop(("", (1, 2)), None)
        desk.remember(7, 8)
        return spill_of(key)

    desk.memory.spill_of = lose_and_remember
    desk.remember(1, 2)
    desk.remember(3, 4)

    assert desk.flush().missing == 1


def test_a_fault_in_memory_fails_a_flush_and_does_not_hold_it_up(open_desk, monkeypatch, caplog):
    desk = open_desk(write_behind=False)
    desk.remember(1, 2)
    monkeypatch.setattr(desk.memory, "spill_of", lambda key: 1 / 0)

    report = desk.flush()

    assert (report.durable, report.failed, report.pending_snapshots) == (False, 1, 1)
    assert "ZeroDivisionError" in caplog.text


def test_closing_gives_up_what_is_not_written(open_desk):
    desk = open_desk(write_behind=False)
    gate = threading.Event()
    desk.engine.interject(gate.wait)
    desk.writer.put(make_spill([1, 2], reason=Reason.EVICTION))
    flush = desk.writer.flush()
    closing = threading.Thread(target=desk.writer.close)
    closing.start()
    gate.set()
    closing.join(PATIENCE)

    assert flush.cancelled() or flush.result().durable
    assert desk.writer.flush().cancelled()
    assert not [path for path in desk.files() if path.suffix == ".partial"]


def test_a_piece_that_fails_costs_its_entry_and_no_other(open_desk, caplog):
    desk = open_desk(write_behind=False)
    broken = desk.remember(1, 2)
    broken.packed.tensors = []
    desk.remember(3, 4)

    report = desk.flush()

    assert (report.flushed, report.failed, report.pending_snapshots) == (1, 1, 1)
    assert "could not be made" in caplog.text
