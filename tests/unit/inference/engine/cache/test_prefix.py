"""The prefix cache: its rules one by one, then against a plain list of entries."""

import gc
import weakref
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.engine.cache.prefix import PrefixCache


@dataclass(frozen=True, eq=False)
class Entry:
    """A snapshot that says what it covers."""

    tokens: tuple[int, ...]
    nbytes: int = 1
    can_trim: bool = True


def store(cache, tokens, namespace="", **facts):
    entry = Entry(tuple(tokens), **facts)
    cache.store(list(tokens), entry, namespace)
    return entry


def found(cache, tokens, namespace=""):
    match = cache.find(list(tokens), namespace)
    return None if match.snapshot is None else (match.snapshot, match.length)


@pytest.fixture
def cache():
    return PrefixCache(max_bytes=10)


def test_an_empty_cache_finds_nothing(cache):
    assert found(cache, [1, 2, 3]) is None
    assert (cache.hits, cache.misses) == (0, 1)


def test_the_last_token_is_always_left_to_compute(cache):
    entry = store(cache, [1, 2, 3])

    assert found(cache, [1, 2, 3]) == (entry, 2)
    assert found(cache, [1, 2, 3, 4]) == (entry, 3)


def test_a_single_token_has_no_usable_prefix(cache):
    store(cache, [1, 2, 3])

    assert found(cache, [1]) is None


def test_an_entry_is_cut_to_what_the_prompt_shares_with_it(cache):
    entry = store(cache, [1, 2, 3, 4])

    assert found(cache, [1, 2, 9, 9]) == (entry, 2)


def test_nothing_in_common_is_a_miss(cache):
    store(cache, [1, 2, 3])

    assert found(cache, [9, 2, 3]) is None


def test_the_longest_prefix_wins(cache):
    store(cache, [1, 2, 3, 8, 8])
    longer = store(cache, [1, 2, 3, 4, 9])

    assert found(cache, [1, 2, 3, 4, 5]) == (longer, 4)


def test_a_hit_does_not_consume(cache):
    entry = store(cache, [1, 2, 3])

    assert [found(cache, [1, 2, 3, 4]) for _ in range(3)] == [(entry, 3)] * 3
    assert (len(cache), cache.hits) == (1, 3)


def test_an_entry_that_cannot_be_cut_is_used_at_its_own_length_only(cache):
    entry = store(cache, [1, 2, 3], can_trim=False)

    assert found(cache, [1, 2, 3, 4]) == (entry, 3)
    assert found(cache, [1, 2, 3]) is None
    assert found(cache, [1, 2, 9, 9]) is None


def test_a_longer_entry_replaces_those_that_can_be_cut_from_it(cache):
    store(cache, [1, 2])
    store(cache, [1, 2, 3], can_trim=False)
    longest = store(cache, [1, 2, 3, 4])

    assert len(cache) == 1
    assert found(cache, [1, 2, 9]) == (longest, 2)


def test_a_longer_entry_that_cannot_be_cut_replaces_nothing(cache):
    short = store(cache, [1, 2])
    long = store(cache, [1, 2, 3, 4], can_trim=False)

    assert len(cache) == 2
    assert found(cache, [1, 2, 9]) == (short, 2)
    assert found(cache, [1, 2, 3, 4, 5]) == (long, 4)


def test_a_sibling_is_not_replaced(cache):
    store(cache, [1, 2, 3])
    store(cache, [1, 2, 4])

    assert len(cache) == 2


def test_the_same_tokens_are_kept_once(cache):
    store(cache, [1, 2], nbytes=4)
    newer = store(cache, [1, 2], nbytes=3)

    assert (len(cache), cache.nbytes) == (1, 3)
    assert found(cache, [1, 2, 3]) == (newer, 2)


def test_the_entry_used_longest_ago_makes_room(cache):
    old = store(cache, [1, 1], nbytes=4)
    store(cache, [2, 2], nbytes=4)
    found(cache, [1, 1, 1])

    new = store(cache, [3, 3], nbytes=4)

    assert cache.nbytes == 8
    assert found(cache, [2, 2, 2]) is None
    assert found(cache, [1, 1, 1]) == (old, 2)
    assert found(cache, [3, 3, 3]) == (new, 2)


def test_what_makes_room_is_handed_back_the_oldest_first(cache):
    for token in (1, 2, 3):
        store(cache, [token, 9], "poet", nbytes=3)

    evicted = cache.store([4, 4], Entry((4, 4), 7))

    assert [(entry.tokens, entry.namespace) for entry in evicted] == [
        ([1, 9], "poet"),
        ([2, 9], "poet"),
    ]
    assert [entry.snapshot.tokens for entry in evicted] == [(1, 9), (2, 9)]


def test_an_entry_larger_than_the_cache_is_handed_back_and_evicts_nothing(cache):
    kept = store(cache, [1, 2])

    (evicted,) = cache.store([1, 2, 3], Entry((1, 2, 3), 11))

    assert evicted.tokens == [1, 2, 3]
    assert (len(cache), cache.nbytes) == (1, 1)
    assert found(cache, [1, 2, 3]) == (kept, 2)


def test_an_entry_without_tokens_is_not_kept(cache):
    store(cache, [])

    assert len(cache) == 0


def test_clearing_keeps_the_counters(cache):
    store(cache, [1, 2])
    found(cache, [1, 2, 3])

    cache.clear()

    assert (len(cache), cache.nbytes, cache.hits, cache.misses) == (0, 0, 1, 0)
    assert found(cache, [1, 2, 3]) is None
    assert cache.misses == 1


def test_what_leaves_the_cache_is_freed_at_once(cache):
    """Not when the garbage collector comes: it may hold gigabytes."""
    evicted, cleared, below = (
        weakref.ref(store(cache, tokens, can_trim=False))
        for tokens in ([1, 2], [1, 2, 3], [1, 2, 3, 4])
    )
    gc.disable()
    try:
        cache.evict_oldest()
        assert evicted() is None
        cache.clear()
        assert (cleared(), below()) == (None, None)
    finally:
        gc.enable()


def test_a_long_shared_text_is_compared_to_the_first_difference(cache):
    text = list(range(1000))
    entry = store(cache, text)

    assert found(cache, [*text[:777], 5, *text[778:]]) == (entry, 777)


def test_what_a_longer_entry_can_be_cut_to_is_not_kept_twice(cache):
    longer = store(cache, [1, 2, 3, 4])

    store(cache, [1, 2, 3])

    assert len(cache) == 1
    assert found(cache, [1, 2, 3, 9]) == (longer, 3)


def test_a_prompt_that_parts_from_an_entry_that_cannot_be_cut_learns_where(cache):
    store(cache, [1, 2, 3, 4], can_trim=False)

    match = cache.find([1, 2, 3, 9, 9])

    assert (match.snapshot, match.length, match.shared) == (None, 0, 3)


def test_the_oldest_entry_can_be_evicted_until_none_is_left(cache):
    store(cache, [1, 2])
    kept = store(cache, [5, 6])

    assert cache.evict_oldest()
    assert found(cache, [1, 2, 3]) is None
    assert found(cache, [5, 6, 7]) == (kept, 2)
    assert cache.evict_oldest()
    assert not cache.evict_oldest()


def test_namespaces_share_nothing_but_the_limit(cache):
    base = store(cache, [1, 2, 3], nbytes=4)
    other = store(cache, [1, 2, 3, 4], "poet", nbytes=4)

    assert found(cache, [1, 2, 3, 4, 5]) == (base, 3)
    assert found(cache, [1, 2, 3, 4, 5], "poet") == (other, 4)
    assert found(cache, [1, 2, 3, 4, 5], "painter") is None
    assert cache.find([1, 2, 9], "painter").shared == 0

    store(cache, [7, 8], "poet", nbytes=6)
    assert found(cache, [1, 2, 3, 4, 5]) is None
    assert found(cache, [1, 2, 3, 4, 5], "poet") == (other, 4)


def test_what_nobody_used_for_long_can_be_let_go():
    now = [0.0]
    cache = PrefixCache(max_bytes=10, clock=lambda: now[0])
    for token in (1, 2, 3):
        store(cache, [token, 9])
        now[0] += 10
    found(cache, [1, 9, 9])

    assert let_go(cache, 15) == [[2, 9]]
    now[0] += 100
    assert let_go(cache, 15, but=[[3, 9]]) == [[1, 9]]
    assert (len(cache), cache.nbytes) == (1, 1)


def test_one_is_looked_at_at_a_time_and_what_happens_in_between_counts():
    now = [0.0]
    cache = PrefixCache(max_bytes=10, clock=lambda: now[0])
    for token in range(5):
        store(cache, [token, 9])
    now[0] += 100
    looks = []

    items = cache.evict_unused(15, lambda entry: looks.append(entry.tokens) or True)
    next(items)
    assert looks == [[0, 9]]
    cache.evict_oldest()  # 1
    found(cache, [2, 9, 9])
    store(cache, [3, 9])
    store(cache, [7, 9])

    assert [list(items), looks] == [[True], [[0, 9], [4, 9]]]
    assert len(cache) == 3


def let_go(cache, seconds, but=()):
    """Return the tokens of what was unused for so long and went."""
    looks = []

    def may_go(entry):
        looks.append(entry.tokens)
        return entry.tokens not in but

    went = list(cache.evict_unused(seconds, may_go))
    return [tokens for tokens, goes in zip(looks, went, strict=True) if goes]


def test_an_entry_covers_its_tokens_and_what_can_be_cut_from_it(cache):
    store(cache, [1, 2, 3, 4])
    store(cache, [5, 6, 7], can_trim=False)

    assert cache.covering([1, 2]).tokens == [1, 2, 3, 4]
    assert cache.covering([5, 6, 7]).tokens == [5, 6, 7]
    assert cache.covering([5, 6]) is None
    assert cache.covering([1, 2, 3, 4, 5]) is None
    assert cache.covering([1, 2], "poet") is None


class ListCache:
    """The same rules over a list, oldest use first: slow and plain."""

    def __init__(self, max_bytes):
        self.max_bytes = max_bytes
        self.entries = []

    def store(self, entry):
        if entry.nbytes > self.max_bytes or not entry.tokens:
            return
        if entry.can_trim and any(self.covers(e, entry) for e in self.entries):
            return
        self.entries = [e for e in self.entries if not self.replaces(entry, e)]
        self.entries.append(entry)
        while sum(e.nbytes for e in self.entries) > self.max_bytes:
            self.entries.pop(0)

    def replaces(self, new, old):
        shorter = old.tokens == new.tokens[: len(old.tokens)]
        return old.tokens == new.tokens or (new.can_trim and shorter)

    def covers(self, old, new):
        longer = len(old.tokens) > len(new.tokens)
        return old.can_trim and longer and old.tokens[: len(new.tokens)] == new.tokens

    def longest(self, tokens):
        return max((self.usable(entry, tokens) for entry in self.entries), default=0)

    def shared(self, tokens):
        """Return how many tokens of the prompt any entry begins with."""
        lengths = (self.common(entry, tokens) for entry in self.entries)
        return max(lengths, default=0)

    def usable(self, entry, tokens):
        """Return how many tokens of the prompt this entry saves."""
        limit = len(tokens) - 1
        if not entry.can_trim:
            whole = entry.tokens == tokens[: len(entry.tokens)] and len(entry.tokens) <= limit
            return len(entry.tokens) if whole else 0
        return self.common(entry, tokens)

    def common(self, entry, tokens):
        common = 0
        for ours, theirs in zip(entry.tokens, tokens, strict=False):
            if ours != theirs:
                break
            common += 1
        return min(common, len(tokens) - 1)

    def touch(self, entry):
        self.entries.remove(entry)
        self.entries.append(entry)


TOKENS = st.lists(st.integers(0, 2), max_size=8).map(tuple)
OPERATIONS = st.one_of(
    st.tuples(st.just("find"), TOKENS.filter(bool)),
    st.builds(Entry, TOKENS, st.integers(1, 12), st.booleans()).map(lambda e: ("store", e)),
)


@settings(deadline=None)
@given(st.integers(0, 30), st.lists(OPERATIONS, max_size=40))
def test_it_behaves_like_a_plain_list_of_entries(max_bytes, operations):
    cache, plain = PrefixCache(max_bytes), ListCache(max_bytes)

    for operation, value in operations:
        if operation == "store":
            cache.store(list(value.tokens), value)
            plain.store(value)
        else:
            match = cache.find(list(value))
            assert match.length == plain.longest(value)
            assert match.shared == plain.shared(value)
            if match.snapshot is not None:
                # Among equals the choice is free; whichever it is must do, and is the newest now.
                assert plain.usable(match.snapshot, value) == match.length
                plain.touch(match.snapshot)

        assert len(cache) == len(plain.entries)
        assert cache.nbytes == sum(entry.nbytes for entry in plain.entries) <= max_bytes
