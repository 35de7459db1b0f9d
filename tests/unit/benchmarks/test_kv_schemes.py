"""The comparison of KV schemes: turns, medians and the table."""

from benchmarks.kv_schemes import WARM_UP_ROUNDS, render, take_turns


def test_schemes_take_turns():
    calls = []

    seconds = take_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 4)

    assert calls == ["a", "b"] * (WARM_UP_ROUNDS + 4)
    assert set(seconds) == {"a", "b"}


def test_the_table_shows_parts_of_the_first():
    table = render({"off": 400, "8": 100}, {"off": 2.0, "8": 3.0})

    assert table.splitlines()[2:] == ["| `off` | 1.00 | 1.00 |", "| `8` | 0.25 | 1.50 |"]
