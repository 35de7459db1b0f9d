"""What is to be on disk: one key for what can be cut from it, tried once until asked again."""

from inference.engine.cache.ssd.dirty_keys import DirtyKeys


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


def test_what_is_clean_leaves():
    dirty = make(("", (1,)), ("", (2,)))

    dirty.discard_if(lambda key: key[1] == (1,))

    assert drained(dirty) == [("", (2,))]


def test_what_was_lost_is_not_remembered_without_end():
    dirty = make(*(("", (number,)) for number in range(5000)), can_trim=False)

    assert len(dirty) == 1024
    assert dirty.next() == ("", (3976,))
