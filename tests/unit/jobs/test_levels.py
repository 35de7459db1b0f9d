import pytest

from jobs.levels import MOST_LEVELS, TooDeep, walk


def nested(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def test_all_that_is_in_a_value_is_met_names_too():
    found = list(walk({"a": [1, {"b": None}], "c": "d"}))

    assert found[1:6] == ["a", "c", [1, {"b": None}], "d", 1]
    assert found[6:] == [{"b": None}, "b", None]


def test_what_is_nested_too_deep_is_refused_however_deep():
    assert len(list(walk(nested(MOST_LEVELS - 2)))) == MOST_LEVELS - 1
    for levels in (MOST_LEVELS, 100_000):
        with pytest.raises(TooDeep):
            list(walk(nested(levels)))
