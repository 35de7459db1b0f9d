"""Caches that decode on fetch hold every token, and only those, however they came."""

import mlx.core as mx
import pytest

from inference.engine.cache.kinds import can_cut, cut, keeps_every_token
from inference.engine.cache.quantized.affine import AffineCache
from inference.engine.cache.quantized.decoded import DecodedAffineCache, TurboCache
from inference.engine.cache.snapshot import CacheSnapshot

KINDS = {
    "affine": lambda: AffineCache(group_size=64, bits=4),
    "decoded affine": lambda: DecodedAffineCache(4, 64),
    "turbo": lambda: TurboCache(8, 3),
    "turbo, odd bits": lambda: TurboCache(5, 5),
}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())


def tokens(start, end):
    """The tokens of one long sequence between two places."""
    whole = mx.random.normal((1, 2, 700, 64), key=mx.random.key(7))
    return whole[:, :, start:end]


def fill(cache, *ends, start=0):
    fetched = None
    for end in ends:
        fetched = cache.update_and_fetch(tokens(start, end), -tokens(start, end))
        start = end
    return fetched


def contents(cache):
    return [array.tolist() for codes in cache.keys_and_values() for array in codes]


@kinds
def test_it_does_not_matter_in_which_pieces_tokens_come(make):
    at_once, in_pieces = make(), make()

    fill(at_once, 600)
    fill(in_pieces, 1, 2, 255, 257, 600)

    assert contents(in_pieces) == contents(at_once)


@kinds
def test_a_shorter_prefix_is_cut_with_its_room(make):
    cache, shorter = make(), make()
    fill(cache, 300)
    fill(shorter, 40)
    assert keeps_every_token([cache])
    assert can_cut([cache])

    cut(cache, 260)

    assert cache.size() == 40
    assert contents(cache) == contents(shorter)
    assert cache.nbytes < shorter.nbytes
    fill(cache, 50, start=40)
    fill(shorter, 50, start=40)
    assert contents(cache) == contents(shorter)


@kinds
def test_a_snapshot_does_not_change_with_what_goes_on_from_it(make):
    cache = make()
    fill(cache, 100)
    before = contents(cache)
    snapshot = CacheSnapshot.of([cache], 100)

    fill(cache, 120, start=100)
    (resumed,) = snapshot.resume_at(30)
    fill(resumed, 60, start=30)

    assert contents(snapshot.layers[0]) == before
    assert contents(snapshot.resume_at(100)[0]) == before


@kinds
def test_what_a_cache_is_made_of_makes_another(make):
    cache = make()
    fill(cache, 100)

    twin = type(cache).from_state(cache.state)

    assert contents(twin) == contents(cache)
    fill(twin, 101, start=100)
    assert twin.size() == 101


@pytest.mark.parametrize("name", ["decoded affine", "turbo", "turbo, odd bits"])
def test_what_is_fetched_is_decoded(name):
    keys, values = fill(KINDS[name](), 90, 100)

    for fetched, given in ((keys, tokens(0, 100)), (values, -tokens(0, 100))):
        assert fetched.shape == given.shape
        assert (mx.linalg.norm(fetched - given) / mx.linalg.norm(given)).item() < 0.2


@pytest.mark.parametrize("name", ["decoded affine", "turbo"])
def test_attention_takes_decoded_caches_for_plain_ones(name):
    cache = KINDS[name]()

    assert not hasattr(cache, "bits")  # by which mlx-lm would tell codes
    assert cache.make_mask(1) is None
    assert cache.make_mask(5) == "causal"


@kinds
def test_an_empty_cache_takes_no_memory(make):
    assert make().nbytes == 0
    assert make().empty()
    assert make().size() == 0
