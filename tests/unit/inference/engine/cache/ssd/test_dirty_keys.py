"""What is to be on disk: one key for what can be cut from it, tried once until asked again."""

from inference.engine.cache.ssd.dirty_keys import MOST_LOST, DirtyKeys


def make(*keys, can_trim=True):
    dirty = DirtyKeys()
    for key in keys:
        dirty.add(key, can_trim=can_trim)
    return dirty


def drained(dirty):
    return list(iter(dirty.next, None))


def test_keys_come_in_their_order_and_once():
    dirty = make(("", (2, 1)), ("", (1,)))

    assert drained(dirty) == [("", (2, 1)), ("", (1,))]
    assert (dirty.next(), len(dirty)) == (None, 2)


def test_what_was_tried_comes_again_when_asked():
    dirty = make(("", (1,)))
    dirty.next()

    dirty.retry()

    assert dirty.next() == ("", (1,))


def test_a_prefix_stands_for_those_that_can_be_cut_from_it():
    assert drained(make(("", (1,)), ("poet", (1,)), ("", (1, 2)))) == [
        ("poet", (1,)),
        ("", (1, 2)),
    ]
    assert len(make(("", (1,)), ("", (1, 2)), can_trim=False)) == 2


def test_what_is_covered_on_disk_leaves():
    dirty = make(("", (1,)), ("", (2,)), ("poet", (1,)))

    dirty.discard_covered(("", (2, 3)), can_trim=False)
    dirty.discard_covered(("", (1, 3)), can_trim=True)

    assert drained(dirty) == [("", (2,)), ("poet", (1,))]


def test_what_was_lost_is_not_tried_again_until_it_comes_back():
    dirty = make(("", (1,)), ("", (2,)))

    dirty.lose(("", (1,)))
    dirty.lose(("", (9,)))

    assert (dirty.num_lost, len(dirty), dirty.held) == (1, 2, [("", (2,))])
    assert drained(dirty) == [("", (2,))]
    dirty.add(("", (1,)), can_trim=True)
    assert (dirty.num_lost, drained(dirty)) == (0, [("", (1,))])


def test_what_was_lost_is_clean_once_something_covers_it():
    dirty = make(("", (1,)), ("", (2,)))
    dirty.lose(("", (1,)))
    dirty.lose(("", (2,)))

    dirty.add(("", (1, 2)), can_trim=True)
    dirty.discard_covered(("", (2,)), can_trim=False)

    assert (dirty.num_lost, len(dirty)) == (0, 1)


def test_nothing_is_forgotten_that_is_in_memory():
    keys = [("", (number,)) for number in range(5000)]

    dirty = make(*keys, can_trim=False)

    assert drained(dirty) == keys


def test_of_what_was_lost_the_oldest_are_only_counted():
    keys = [("", (number,)) for number in range(5000)]
    dirty = make(*keys, can_trim=False)

    for key in keys:
        dirty.lose(key)
    dirty.discard(keys)

    assert dirty.num_lost == len(dirty) == 5000 - MOST_LOST


def test_among_many_those_that_were_lost_are_looked_for_now_and_then():
    dirty, looks = DirtyKeys(), []

    def is_held(key):
        looks.append(key)
        return key[1][0] % 4 == 0

    for number in range(4 * MOST_LOST):
        dirty.lose_unless(is_held)
        dirty.add(("", (number,)), can_trim=False)

    assert len(dirty) == 4 * MOST_LOST
    assert len(dirty.held) < 2 * MOST_LOST
    assert len(looks) < 8 * MOST_LOST
