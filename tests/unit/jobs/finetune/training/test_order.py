from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.finetune.training.order import Order


def order(lengths: list[int], batch: int, accumulation: int = 1, seed: int = 0) -> Order:
    return Order(lengths, batch, accumulation, seed)


def test_every_row_is_read_once_before_any_is_read_again() -> None:
    found = order([1] * 32, 2)
    iterations = [found.rows(iteration) for iteration in range(16)]

    assert sorted(row for rows in iterations for row in rows) == list(range(32))


def test_passes_differ_in_their_order() -> None:
    found = order(list(range(20)), 1)
    passes = [[found.rows(20 * turn + i) for i in range(20)] for turn in range(2)]

    assert passes[0] != passes[1]


def test_the_seed_decides_the_order() -> None:
    def rows(seed: int) -> list[list[int]]:
        return [order([1] * 20, 2, seed=seed).rows(i) for i in range(10)]

    assert rows(3) == rows(3)
    assert rows(3) != rows(4)


def test_an_iteration_has_its_rows_whenever_it_is_asked_for() -> None:
    found = order(list(range(50)), 4)
    forwards = [found.rows(i) for i in range(40)]

    assert [order(list(range(50)), 4).rows(i) for i in reversed(range(40))] == forwards[::-1]


def test_small_batches_accumulated_are_one_large_batch() -> None:
    lengths = list(range(48))
    small, large = order(lengths, 2, accumulation=3), order(lengths, 6)

    for update in range(20):
        parts = [small.rows(3 * update + part) for part in range(3)]
        assert [row for part in parts for row in part] == large.rows(update)


def test_batches_are_of_rows_of_like_length() -> None:
    lengths = [1, 100] * 32
    found = order(lengths, 4)

    for iteration in range(16):
        assert len({lengths[row] for row in found.rows(iteration)}) == 1


def test_a_batch_is_no_larger_than_the_set() -> None:
    found = order([1, 2, 3], 8)

    assert found.batch_size == 3
    assert sorted(found.rows(0)) == [0, 1, 2]


@given(
    rows=st.integers(1, 40),
    batch=st.integers(1, 12),
    accumulation=st.integers(1, 6),
    n=st.integers(0, 60),
)
def test_no_row_is_ever_more_than_two_readings_ahead(
    rows: int, batch: int, accumulation: int, n: int
) -> None:
    found = order([1] * rows, batch, accumulation)
    whole = [found.rows(i) for i in range(n)]
    counts = Counter(row for rows in whole for row in rows)

    assert all(len(rows) == found.batch_size for rows in whole)
    readings = [counts[row] for row in range(rows)]
    # Within a stretch rows are sorted, so that its end may come before its beginning.
    stretch = 16 * found.batch_size * accumulation
    assert max(readings) - min(readings) <= 2 + stretch // rows


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_a_group_larger_than_the_set_reads_it_several_times(rows: int) -> None:
    found = order([1] * rows, 1, accumulation=10)
    group = Counter(found.rows(part)[0] for part in range(10))

    assert max(group.values()) - min(group.values()) <= 1 if rows < 10 else True
    assert sum(group.values()) == 10
