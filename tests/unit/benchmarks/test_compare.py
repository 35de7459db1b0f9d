"""Every measure of every server has its cell, whatever happens to the server."""

import sys

import pytest

from benchmarks import restart
from benchmarks.compare import compare, compare_restarts, measure_server
from benchmarks.measures import measures
from benchmarks.options import parse
from benchmarks.results import Cell
from benchmarks.servers import MLX_LM, MLXSITE, ServerKind


def test_a_server_that_does_not_start_fails_every_measure(tmp_path):
    options = parse(["--timeout", "20", "--streams", "1", "2"])
    code = "print('no such model'); raise SystemExit(3)"
    broken = ServerKind("broken", lambda folder, port, streams: [sys.executable, "-c", code])

    cells = measure_server(broken, tmp_path, options)

    assert list(cells) == [measure.name for measure in measures(options)]
    assert cells["start to first answer"].error == "ended with status 3: no such model"
    assert all(cell.error for cell in cells.values())


def test_a_server_that_never_answers_is_given_up(tmp_path):
    options = parse(["--timeout", "1", "--streams", "1"])
    code = "import time; time.sleep(60)"
    silent = ServerKind("silent", lambda folder, port, streams: [sys.executable, "-c", code])

    cells = measure_server(silent, tmp_path, options)

    assert cells["start to first answer"].error == "not ready after 1 s: it said nothing"


def test_rows_hold_the_median_of_each_servers_rounds(tmp_path, monkeypatch):
    options = parse(["--rounds", "3", "--streams", "1", "--no-direct"])
    names = [measure.name for measure in measures(options)]
    figures = iter([1.0, 10.0, 3.0, 30.0, 2.0, 20.0])  # the servers take turns

    def measured(*_):
        figure = next(figures)
        return {name: Cell(figure) for name in names}

    monkeypatch.setattr("benchmarks.compare.measure_server", measured)

    rows = compare(tmp_path, options)

    assert [row.measure for row in rows] == names
    assert all(row.cells == {"mlxsite": Cell(2.0), "mlx_lm.server": Cell(20.0)} for row in rows)


@pytest.mark.parametrize(("servers", "has_direct"), [(["mlxsite"], True), (["mlx_lm"], False)])
def test_direct_decode_is_compared_with_our_own_server_only(
    servers, has_direct, tmp_path, monkeypatch
):
    options = parse(["--servers", *servers, "--streams", "1"])
    names = [measure.name for measure in measures(options)]
    monkeypatch.setattr(
        "benchmarks.compare.measure_server", lambda *_: {name: Cell(1.0) for name in names}
    )
    monkeypatch.setattr("benchmarks.served_vs_direct.measure", lambda *_, rounds: (9.0, 10.0))

    last = compare(tmp_path, options)[-1]

    assert (last.cells.get("mlxsite") == Cell(0.9)) is has_direct


def test_a_restart_gives_a_row_for_each_time_that_is_asked(tmp_path, monkeypatch):
    options = parse(["--rounds", "2", "--streams", "1", "--prompt-tokens", "100"])
    figures = iter([1.0, 10.0, 3.0, 30.0])

    def measured(kind, folder, options):
        figure = next(figures)
        flush = {"durable": True} if kind.name == "mlxsite" else None
        return dict.fromkeys(restart.names(options), Cell(figure)), flush

    monkeypatch.setattr("benchmarks.restart.measure", measured)

    rows, flushes = compare_restarts(tmp_path, options)

    assert [row.measure for row in rows] == [
        "first token of 100, before a restart",
        "first token of 100, in memory",
        "first token of 100, after the restart",
    ]
    assert all(row.cells == {"mlxsite": Cell(2.0), "mlx_lm.server": Cell(20.0)} for row in rows)
    assert flushes == [{"durable": True}] * 2


def test_a_server_that_does_not_start_fails_its_restart(tmp_path):
    options = parse(["--timeout", "20", "--streams", "1"])
    code = "print('no such model'); raise SystemExit(3)"
    broken = ServerKind("broken", lambda folder, port, streams: [sys.executable, "-c", code])

    cells, flush = restart.measure(broken, tmp_path, options)

    assert list(cells) == restart.names(options)
    assert all(cell.error for cell in cells.values())
    assert flush is None


def test_only_our_server_is_told_to_keep_prompts(tmp_path):
    assert MLXSITE.keep_prompts(tmp_path) == ["--ssd-cache", str(tmp_path)]
    assert MLX_LM.keep_prompts(tmp_path) == []
