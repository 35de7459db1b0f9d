"""Snapshots share buffers with the caches they are taken of, and never change."""

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models.cache import ArraysCache, CacheList, ChunkedKVCache, KVCache, RotatingKVCache

from inference.engine.cache.snapshot import CacheSnapshot, clone

KINDS = {
    "kv": KVCache,
    "rotating": lambda: RotatingKVCache(max_size=8),
    "arrays": lambda: ArraysCache(2),
    "list": lambda: CacheList(ArraysCache(2), KVCache()),
}


def write(cache, value, length=1):
    """Feed a cache `length` tokens, all of this value."""
    if isinstance(cache, CacheList):
        for part in cache.caches:
            write(part, value, length)
    elif isinstance(cache, ArraysCache):
        for index in range(2):
            if cache[index] is None:
                cache[index] = mx.zeros((1, 3))
            cache[index][0, 0] = value  # in place, as a model may
    else:
        tokens = mx.full((1, 1, length, 2), value, dtype=mx.float32)
        cache.update_and_fetch(tokens, tokens)


def contents(cache):
    """Copy out what a cache holds."""
    if isinstance(cache, CacheList):
        return [contents(part) for part in cache.caches]
    if isinstance(cache, ArraysCache):
        return [np.array(array).tolist() for array in cache.cache]
    keys, values = cache.keys_and_values()
    return [np.array(keys).tolist(), np.array(values).tolist(), cache.offset]


@pytest.fixture(params=KINDS)
def cache(request):
    cache = KINDS[request.param]()
    write(cache, 1.0, 4)
    return cache


def test_writing_to_the_copy_leaves_the_original(cache):
    before = contents(cache)

    twin = clone(cache)
    for _ in range(12):
        write(twin, 2.0)

    assert contents(cache) == before
    assert contents(twin) != before


def test_writing_to_the_original_leaves_the_copy(cache):
    before = contents(cache)

    twin = clone(cache)
    for _ in range(12):
        write(cache, 2.0)

    assert contents(twin) == before


def test_two_users_of_a_snapshot_do_not_meet(cache):
    before = contents(cache)
    snapshot = CacheSnapshot.of([cache], 4)

    (one,), (other,) = snapshot.resume_at(4), snapshot.resume_at(4)
    write(one, 2.0)
    write(other, 3.0)
    (third,) = snapshot.resume_at(4)

    assert contents(third) == before
    assert contents(one) != contents(other)


def test_a_snapshot_resumes_at_a_shorter_length():
    cache = KVCache()
    for value in range(4):
        write(cache, float(value))
    snapshot = CacheSnapshot.of([cache], 4)

    (shorter,) = snapshot.resume_at(2)
    write(shorter, 9.0)
    (whole,) = snapshot.resume_at(4)

    assert np.array(shorter.keys_and_values()[0])[0, 0, :, 0].tolist() == [0, 1, 9]
    assert np.array(whole.keys_and_values()[0])[0, 0, :, 0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", [KVCache, lambda: CacheList(KVCache(), KVCache())])
def test_what_is_cut_away_takes_no_room(kind):
    long, short = kind(), kind()
    write(long, 1.0, 2000)
    write(short, 1.0, 10)
    write(short, 2.0)

    (cut,) = CacheSnapshot.of([long], 2000).resume_at(10)
    write(cut, 2.0)

    assert contents(cut) == contents(short)
    assert cut.nbytes < 0.2 * long.nbytes


def test_an_empty_cache_can_be_copied():
    for kind in KINDS.values():
        assert clone(kind()).empty()


@pytest.mark.parametrize(
    ("kinds", "can_trim"),
    [
        (["kv"], True),
        (["kv", "rotating"], True),  # as long as it has not gone round
        (["kv", "arrays"], False),
        (["list"], False),
    ],
)
def test_a_snapshot_can_be_cut_if_all_its_layers_can(kinds, can_trim):
    layers = [KINDS[kind]() for kind in kinds]
    for layer in layers:
        write(layer, 1.0, 4)

    assert CacheSnapshot.of(layers, 4).can_trim is can_trim


def test_a_window_that_has_gone_round_cannot_be_cut():
    cache = KINDS["rotating"]()
    for _ in range(9):
        write(cache, 1.0)

    assert not CacheSnapshot.of([cache], 9).can_trim


@pytest.mark.parametrize("inside", [False, True])
def test_chunks_can_be_cut_until_one_has_left(inside):
    chunks = ChunkedKVCache(chunk_size=8)
    layer = CacheList(chunks, KVCache()) if inside else chunks
    write(layer, 1.0, 9)
    before = CacheSnapshot.of([layer], 9)

    chunks.maybe_trim_front()
    after = CacheSnapshot.of([layer], 9)

    assert before.can_trim
    assert not after.can_trim


def test_bytes_are_those_of_all_layers():
    layers = [KVCache(), KVCache()]
    for layer in layers:
        write(layer, 1.0, 4)

    assert CacheSnapshot.of(layers, 4).nbytes == sum(layer.nbytes for layer in layers) > 0
