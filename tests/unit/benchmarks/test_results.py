"""A figure that could not be taken is kept, with the reason, through medians and ratios."""

from benchmarks.results import Cell, Row, failed, median

OURS, THEIRS = "a", "b"


def test_rounds_give_their_median():
    assert median([Cell(5.0), Cell(1.0), Cell(2.0)]) == Cell(2.0)


def test_a_round_that_failed_fails_the_measure():
    assert median([Cell(5.0), Cell(error="no answer"), Cell(2.0)]) == Cell(error="no answer")


def test_an_error_becomes_one_line():
    assert failed(RuntimeError("first\n  second")) == Cell(error="first second")
    assert failed(TimeoutError()) == Cell(error="TimeoutError")


def test_the_ratio_is_ours_over_theirs():
    assert Row("m", "s", {OURS: Cell(3.0), THEIRS: Cell(2.0)}).ratio(OURS, THEIRS) == 1.5


def test_there_is_no_ratio_to_a_figure_that_is_missing():
    for theirs in (Cell(error="no answer"), Cell(0.0)):
        assert Row("m", "s", {OURS: Cell(3.0), THEIRS: theirs}).ratio(OURS, THEIRS) is None
    assert Row("m", "s", {OURS: Cell(3.0)}).ratio(OURS, THEIRS) is None


def test_a_row_as_json_has_figures_and_failures():
    row = Row("m", "s", {OURS: Cell(3.0), THEIRS: Cell(error="no answer")})

    assert row.to_json() == {
        "measure": "m",
        "unit": "s",
        "servers": {OURS: {"value": 3.0}, THEIRS: {"error": "no answer"}},
    }
