"""The cost of an adapter that nobody chooses: turns and the table."""

from benchmarks.idle_adapter import WARM_UP_ROUNDS, Seconds, render, take_turns


def test_each_is_first_in_its_turn():
    calls = []

    seconds = take_turns({name: lambda name=name: calls.append(name) for name in "abc"}, 1)

    assert WARM_UP_ROUNDS == 3
    assert "".join(calls) == "abcbcacababc"
    assert set(seconds) == set("abc")


def test_the_table_shows_parts_of_the_first():
    table = render({"never": Seconds(0.040, 0.080), "mounted": Seconds(0.041, 0.080)})

    assert table.splitlines()[2:] == ["| never | 1.000 | 1.000 |", "| mounted | 1.025 | 1.000 |"]
