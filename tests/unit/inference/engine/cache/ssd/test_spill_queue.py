"""What waits to be written is bounded; who came last is never the one to go."""

from pathlib import Path

from inference.engine.cache.ssd.spill_queue import Reason, SpillQueue
from tests.plugins.ssd_entries import make_spill


def make_queue(*sizes, limit=100):
    queue = SpillQueue(limit)
    spills = [make_spill([1], sizes=(size,)) for size in sizes]
    dropped = [queue.put(spill) for spill in spills]
    return queue, spills, dropped


def test_first_in_first_out():
    queue, spills, _ = make_queue(10, 20)

    assert (len(queue), queue.nbytes) == (2, 30)
    assert [queue.take(), queue.take()] == spills


def test_over_the_limit_the_oldest_go():
    queue, spills, dropped = make_queue(50, 50, 30)

    assert dropped == [0, 0, 1]
    assert queue.everything == spills[1:]


def test_the_newest_stays_however_large_it_is():
    queue, spills, dropped = make_queue(10, 20, 500)

    assert dropped[-1] == 2
    assert queue.everything == spills[2:]


def test_what_is_being_written_counts_and_is_not_dropped():
    queue, spills, _ = make_queue(80)
    queue.take()

    assert queue.put(make_spill([2], sizes=(90,))) == 0
    assert (queue.everything[0], queue.nbytes) == (spills[0], 170)

    queue.done()
    assert queue.nbytes == 90


def test_of_one_generation_the_newest_checkpoint_waits():
    queue = SpillQueue(100)
    for tokens in ([1], [1, 2], [1, 2, 3]):
        queue.put(make_spill(tokens, reason=Reason.GENERATION, path=Path("a"), sizes=(50,)))
    queue.put(make_spill([9], reason=Reason.GENERATION, path=Path("b"), sizes=(50,)))

    assert [spill.header.tokens for spill in queue.everything] == [[1, 2, 3], [9]]


def test_a_generation_that_is_over_is_not_written():
    queue = SpillQueue(100)
    for _ in range(2):
        queue.put(make_spill([1], reason=Reason.GENERATION, path=Path("a"), sizes=(1,)))
        if queue.in_flight is None:
            queue.take()

    queue.cancel(Path("a"))

    assert not queue.waits
    assert queue.in_flight.cancelled


def test_there_is_room_for_what_drops_nothing():
    queue, _, _ = make_queue(60)

    assert queue.has_room_for(40)
    assert not queue.has_room_for(41)


def test_an_empty_queue_has_room_for_one_of_any_size():
    queue, _, _ = make_queue()

    assert queue.has_room_for(500)
    queue.put(make_spill([1], sizes=(500,)))
    queue.take()
    assert not queue.has_room_for(1)
    queue.done()
    assert queue.has_room_for(500)


def test_it_covers_what_can_be_cut_from_what_waits_or_is_being_written():
    queue = SpillQueue(1000)
    queue.put(make_spill([1, 2, 3]))
    queue.take()
    queue.put(make_spill([5, 6], can_trim=False))
    queue.put(make_spill([8], reason=Reason.GENERATION, path=Path("a")))

    covered = [(1, 2), (1, 2, 3), (5, 6)]
    others = [(1, 2, 3, 4), (5,), (8,)]

    assert all(queue.will_cover(("", tokens)) for tokens in covered)
    assert not any(queue.will_cover(("", tokens)) for tokens in others)
    assert not queue.will_cover(("poet", (1, 2)))


def test_its_size_is_known_whatever_comes_and_goes():
    queue, _, _ = make_queue(40, 30, 50)
    for size in (10, 20):
        queue.put(make_spill([1], reason=Reason.GENERATION, path=Path("a"), sizes=(size,)))
    sizes = [queue.nbytes]
    for step in (queue.take, lambda: queue.cancel(Path("a")), queue.clear, queue.done):
        step()
        sizes.append(queue.nbytes)

    assert sizes == [100, 100, 80, 30, 0]
