"""Rows in codes that share steps are the rows they would be alone."""

import mlx.core as mx
import pytest

from inference.engine.cache.quantized.affine import AffineCache

LENGTHS = (5, 30, 0, 300, 17)  # the longest joins a batch of shorter ones


def tokens(length, seed=0):
    return mx.random.normal((1, 2, length, 64), key=mx.random.key(length + 1000 * seed))


def make_row(length):
    row = AffineCache(group_size=64, bits=4)
    if length:
        row.update_and_fetch(tokens(length), -tokens(length))
    return row


def contents(row):
    return (
        []
        if row.empty()
        else [array.tolist() for codes in row.keys_and_values() for array in codes]
    )


def next_step(rows):
    return mx.concatenate([tokens(1, seed=row + 1) for row in rows])


def make_batch(lengths=LENGTHS):
    batch = AffineCache.merge([make_row(length) for length in lengths[:2]])
    for length in lengths[2:]:
        batch.extend(AffineCache.merge([make_row(length)]))
    return batch


def test_a_row_leaves_as_it_came():
    batch = make_batch()

    for index, length in enumerate(LENGTHS):
        alone = batch.extract(index)
        assert contents(alone) == contents(make_row(length))
        assert alone.size() == length
        assert (alone.bits, alone.group_size) == (4, 64)


def test_rows_advance_together_as_alone():
    batch = make_batch()
    step = next_step(range(len(LENGTHS)))

    for _ in range(2):
        batch.update_and_fetch(step, step)

    for index, length in enumerate(LENGTHS):
        alone = make_row(length)
        for _ in range(2):
            alone.update_and_fetch(step[index : index + 1], step[index : index + 1])
        assert contents(batch.extract(index)) == contents(alone)
    assert batch.offset.tolist() == [length + 2 for length in LENGTHS]


@pytest.mark.parametrize("kept", [(0, 3), (1, 2), (2,), (4, 1)])
def test_rows_that_stay_move_up(kept):
    batch = make_batch()
    step = next_step(range(len(LENGTHS)))
    batch.update_and_fetch(step, step)

    batch.filter(mx.array(kept))

    assert batch.size() == max(LENGTHS[row] for row in kept) + 1
    for index, row in enumerate(kept):
        alone = make_row(LENGTHS[row])
        alone.update_and_fetch(step[row : row + 1], step[row : row + 1])
        assert contents(batch.extract(index)) == contents(alone)


def test_no_row_sees_anothers_padding():
    mask = make_batch().make_mask(1)

    seen = mx.sum(mask, axis=(1, 2, 3)).tolist()
    assert seen == [length + 1 for length in LENGTHS]


def test_empty_rows_merge():
    batch = AffineCache.merge([make_row(0), make_row(0)])
    step = next_step((0, 1))

    batch.update_and_fetch(step, step)

    assert batch.offset.tolist() == [1, 1]


def test_an_empty_cache_takes_no_memory():
    assert make_row(0).nbytes == 0
    assert make_row(10).nbytes == make_row(256).nbytes > 0
