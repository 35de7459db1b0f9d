"""Our attention is as near to float32 as mlx's own; what it does not take, it leaves."""

import mlx.core as mx
import pytest

from inference.engine.cuda import attention
from inference.engine.cuda.attention import can_attend, decode_attention

needs_cuda = pytest.mark.skipif(not mx.cuda.is_available(), reason="needs a CUDA GPU")


def arrays(*, heads=4, kv_heads=2, dim=128, new=1, dtype=mx.bfloat16):
    keys = mx.zeros((2, kv_heads, 256, dim), dtype=dtype)
    return mx.zeros((2, heads, new, dim), dtype=dtype), keys, keys


@pytest.fixture
def cuda(monkeypatch):
    monkeypatch.setattr(mx.cuda, "is_available", lambda: True)


@pytest.mark.parametrize("dim", [64, 80, 96, 128, 256])
@pytest.mark.parametrize("heads", [2, 4, 14, 16])
def test_takes_one_new_token_of_usual_heads(cuda, dim, heads):
    assert can_attend(*arrays(dim=dim, heads=heads))


@pytest.mark.parametrize(
    "unusual",
    [
        {"new": 2},
        {"dtype": mx.float32},
        {"dim": 72},
        {"heads": 34},
        {"heads": 18, "dim": 256},
        {"heads": 5},
    ],
)
def test_leaves_anything_else(cuda, unusual):
    assert not can_attend(*arrays(**unusual))


def test_leaves_all_where_there_is_no_gpu(monkeypatch):
    monkeypatch.setattr(mx.cuda, "is_available", lambda: False)

    assert not can_attend(*arrays())


def test_few_rows_of_long_caches_are_cut_into_slices():
    assert attention._shape(blocks=8, capacity=768, dim=128) == (1, 8, 2)
    assert attention._shape(blocks=8, capacity=4096, dim=128)[0] == 4
    assert attention._shape(blocks=64, capacity=65536, dim=128)[0] == 4
    assert attention._shape(blocks=512, capacity=65536, dim=128) == (1, 4, 1)
    assert attention._shape(blocks=8, capacity=768, dim=256) == (1, 4, 1)


@needs_cuda
@pytest.mark.parametrize(
    "dim, group", [(128, 4), (128, 16), (128, 9), (64, 7), (80, 4), (96, 1), (112, 3), (256, 8)]
)
@pytest.mark.parametrize(
    "rows, capacity, end", [(1, 256, 1), (1, 4096, 4000), (5, 768, 700), (40, 512, 512)]
)
def test_the_kernel_is_as_near_as_bfloat16_allows(dim, group, rows, capacity, end):
    kv_heads, scale = 4, dim**-0.5
    starts = mx.random.randint(0, end, (rows,)) if rows > 1 else mx.zeros(1, dtype=mx.int32)
    queries = mx.random.normal((rows, kv_heads * group, 1, dim)).astype(mx.bfloat16)
    columns = mx.arange(capacity)
    mask = ((columns >= starts[:, None]) & (columns < end))[:, None, None, :]

    def cache(beyond):
        """What lies beyond a row's keys must not matter, so it is not a number."""
        inside = mx.random.normal((rows, kv_heads, capacity, dim), key=mx.random.key(7))
        return mx.where(mask.swapaxes(2, 3), inside, beyond).astype(mx.bfloat16)

    answer = decode_attention(
        queries,
        cache(mx.nan),
        cache(mx.nan),
        starts=starts,
        lengths=end - 1 - starts,
        scale=scale,
    )

    wide = [array.astype(mx.float32) for array in (queries, cache(0), cache(0))]
    expected = mx.fast.scaled_dot_product_attention(*wide, scale=scale, mask=mask)
    distance = mx.linalg.norm((answer.astype(mx.float32) - expected).flatten())
    assert (distance / mx.linalg.norm(expected.flatten())).item() < 5e-3
