"""The table: aligned Markdown, three figures to a number, no cell without an entry."""

import pytest

from benchmarks.results import Cell, Row
from benchmarks.table import render


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_servers_stand_side_by_side_with_their_ratio():
    lines = render([Row("speed", "tok/s", {"a": Cell(30.0), "b": Cell(4.0)})], "a", "b")

    assert lines.splitlines() == [
        "| measure | unit  | a    | b    | a ÷ b |",
        "| ------- | ----- | ---- | ---- | ----- |",
        "| speed   | tok/s | 30.0 | 4.00 | 7.50  |",
    ]


def test_a_failure_is_marked_in_its_cell_and_explained_below():
    row = Row("speed", "tok/s", {"a": Cell(30.0), "b": Cell(error="no answer in 300 s")})

    lines = render([row], "a", "b").splitlines()

    assert cells(lines[2]) == ["speed", "tok/s", "30.0", "failed", "-"]
    assert lines[-1] == "speed, b: failed: no answer in 300 s"


def test_a_server_that_was_not_asked_leaves_a_dash():
    lines = render([Row("speed", "tok/s", {"a": Cell(30.0)})], "a", "b").splitlines()

    assert cells(lines[-1]) == ["speed", "tok/s", "30.0", "-", "-"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.000"), (0.0449, "0.045"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1,234")],
)
def test_numbers_have_about_three_figures(value, text):
    lines = render([Row("m", "s", {"a": Cell(value)})], "a", "b").splitlines()

    assert cells(lines[2])[2] == text
