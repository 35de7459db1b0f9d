"""Room is made of the oldest prefixes, and of no more of them than it takes."""

from dataclasses import dataclass

import pytest

from inference.engine.cache.memory_guard import MemoryGuard, OutOfMemory
from inference.engine.cache.prefix import PrefixCache

GB = 10**9


@dataclass(frozen=True, eq=False)
class Entry:
    nbytes: int = GB
    can_trim: bool = False


@pytest.fixture
def prefixes():
    """Three entries of a gigabyte; the first, stored before the others, was used since."""
    cache = PrefixCache(10 * GB)
    for token in range(3):
        cache.store([token, 9], Entry())
    assert cache.find([0, 9, 9]).length == 2
    return cache


def make_guard(prefixes, *, others, limit=10 * GB, headroom=GB):
    """A guard who sees what the prefixes hold and what others hold."""
    return MemoryGuard(limit, headroom, lambda: others + prefixes.nbytes)


def lengths(prefixes):
    return [prefixes.find([token, 9, 9]).length for token in range(3)]


def test_nothing_goes_while_a_step_fits(prefixes):
    guard = make_guard(prefixes, others=6 * GB)

    guard.make_room(prefixes)

    assert not guard.is_short()
    assert lengths(prefixes) == [2, 2, 2]


def test_the_prefix_that_went_longest_without_use_goes_first(prefixes):
    guard = make_guard(prefixes, others=6 * GB + 1)
    assert guard.is_short()

    guard.make_room(prefixes)

    assert lengths(prefixes) == [2, 0, 2]


def test_as_many_go_as_it_takes(prefixes):
    make_guard(prefixes, others=8 * GB).make_room(prefixes)

    assert lengths(prefixes) == [2, 0, 0]


def test_when_none_is_left_the_error_says_how_much_and_what_helps(prefixes):
    guard = make_guard(prefixes, others=9 * GB + GB // 2)

    with pytest.raises(OutOfMemory) as caught:
        guard.make_room(prefixes)

    assert len(prefixes) == 0
    assert str(caught.value) == (
        "memory ran out: 9.50 GB in use, 1.00 GB needed for a step, 10.00 GB usable; shorten "
        "the prompt, run fewer requests at once or raise --memory-budget"
    )
