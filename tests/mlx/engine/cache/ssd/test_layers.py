"""Layer caches of every kind come back from disk as they were, without the room they had."""

import copy

import mlx.core as mx
import pytest
from mlx_lm.models.cache import (
    ArraysCache,
    CacheList,
    ChunkedKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
    make_prompt_cache,
)

from inference.engine.cache.quantized.affine import AffineCache
from inference.engine.cache.quantized.decoded import DecodedAffineCache, TurboCache
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.cache.ssd.header import BadEntry
from inference.engine.cache.ssd.layers import (
    CannotPack,
    PackedSnapshot,
    restore_layers,
    same_kinds,
    to_array,
)
from tests.plugins.tiny_configs import CONFIGS

CACHES = {
    "plain": KVCache,
    "window": lambda: RotatingKVCache(max_size=16, keep=2),
    "chunked": lambda: ChunkedKVCache(16),
    "quantized": lambda: QuantizedKVCache(group_size=64, bits=4),
    "affine": lambda: AffineCache(group_size=64, bits=8),
    "decoded": lambda: DecodedAffineCache(4, 64),
    "turbo": lambda: TurboCache(8, 3),
    "list": lambda: CacheList(KVCache(), RotatingKVCache(max_size=16)),
}
WIDTH = 64


def columns(count):
    return mx.random.normal((1, 2, count, WIDTH)), mx.random.normal((1, 2, count, WIDTH))


def write(cache, count):
    """Let a cache take so many tokens; returns what attention would see."""
    if isinstance(cache, CacheList):
        return [write(part, count) for part in cache.caches]
    if isinstance(cache, ChunkedKVCache):
        cache.maybe_trim_front()
    mx.random.seed(cache.offset * 100 + count)
    return cache.update_and_fetch(*columns(count))


def through_disk(*caches):
    """Return caches as they come back, and the bytes that they took."""
    packed = PackedSnapshot(CacheSnapshot.of(list(caches), 1))
    arrays = {
        spec.name: to_array(bytearray(packed.take(index)), spec)
        for index, spec in enumerate(packed.tensors)
    }
    return restore_layers(packed.layers, arrays), packed.nbytes


def flat(seen):
    return [
        array
        for part in seen
        for array in (flat(part) if isinstance(part, list | tuple) else [part])
    ]


def equal(left, right):
    left, right = flat(left), flat(right)
    return len(left) == len(right) and all(
        mx.array_equal(a, b).item() for a, b in zip(left, right, strict=True)
    )


@pytest.mark.parametrize("lengths", [(1,), (5, 1), (12, 30), (40, 1, 1, 1)])
@pytest.mark.parametrize("kind", CACHES)
def test_it_goes_on_as_if_nothing_had_happened(kind, lengths):
    cache = CACHES[kind]()
    for length in lengths:
        write(cache, length)

    (restored,), _ = through_disk(cache)

    assert type(restored) is type(cache)
    assert restored is not cache
    for count in (1, 3, 1):
        assert equal(write(restored, count), write(cache, count))


@pytest.mark.parametrize("kind", ["plain", "quantized", "turbo", "chunked"])
def test_room_that_no_token_took_is_not_written(kind):
    cache = CACHES[kind]()
    write(cache, 3)

    _, nbytes = through_disk(cache)

    assert nbytes * 80 < cache.nbytes  # of 256 columns, 3 are live


def test_a_cache_that_was_cut_is_written_as_cut():
    cache = KVCache()
    write(cache, 40)
    cache.trim(30)

    (restored,), nbytes = through_disk(cache)

    assert nbytes == 2 * 2 * 10 * WIDTH * 4
    assert equal(write(restored, 1), write(copy.copy(cache), 1))


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16, mx.uint32, mx.bool_])
def test_every_type_of_number(dtype):
    state = ArraysCache(3)
    state[0] = (mx.random.normal((2, 5)) * 3).astype(dtype)
    state[2] = mx.zeros((0, 4), dtype=dtype)

    (restored,), _ = through_disk(state)

    assert restored[0].dtype == dtype and restored[2].shape == (0, 4)
    assert mx.array_equal(restored[0], state[0]).item()
    assert restored[1] is None and restored.lengths is None


@pytest.mark.parametrize("kind", CONFIGS)
def test_all_that_a_model_keeps(kind, tiny_model):
    model = tiny_model(kind).model
    ours, theirs = make_prompt_cache(model), make_prompt_cache(model)
    assert same_kinds(tuple(ours), theirs)
    prompt = mx.array([[7, 8, 9] * 15])
    mx.eval(model(prompt, cache=ours))

    restored, _ = through_disk(*ours)
    logits = model(prompt[:, :2], cache=list(restored))

    assert same_kinds(restored, theirs)
    assert mx.array_equal(logits, model(prompt[:, :2], cache=ours)).item()


def test_arrays_are_let_go_once_their_bytes_are_there():
    cache = KVCache()
    write(cache, 3)
    packed = PackedSnapshot(CacheSnapshot.of([cache], 3))

    packed.copy_all()

    assert packed._arrays == [None, None]
    assert len(packed.take(0)) == packed.tensors[0].nbytes


def test_a_kind_that_nobody_knows_is_not_written():
    class StrangeCache(KVCache):
        pass

    with pytest.raises(CannotPack, match="StrangeCache"):
        PackedSnapshot(CacheSnapshot((StrangeCache(),), 0))


@pytest.mark.parametrize(
    "layers",
    [
        [{"kind": "Popen", "attributes": {"args": "true"}}],
        [{"kind": "KVCache", "attributes": {"keys": {"tensor": "missing"}}}],
        [{"kind": "KVCache", "attributes": {"keys": {"code": "1"}}}],
        [{"kind": "KVCache"}],
        ["KVCache"],
    ],
)
def test_what_makes_no_sense_is_no_entry(layers):
    with pytest.raises(BadEntry):
        restore_layers(layers, {})
