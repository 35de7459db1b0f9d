from io import StringIO

import pytest

from jobs.emitter import Emitter
from jobs.finetune.terminal import Terminal

FIGURES = {"grad_norm": 1.0, "learning_rate": 0.1, "tokens_per_sec": 250.4}


class Screen(StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def play(terminal: Terminal) -> None:
    with terminal:
        emit = Emitter(terminal)
        emit.stage("load", 0.0, "Loading owner/model")
        emit.log("3 rows")
        emit.metric("val", 0, 4.5)
        emit.metric("train", 10, 3.25, **FIGURES)
        emit.metric("train", 20, 2.125, **FIGURES)


def test_a_terminal_has_a_bar_with_loss_and_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)

    play(Terminal(40))

    frames = screen.getvalue().split("\r")
    assert any("Loading owner/model" in frame and "0/40" in frame for frame in frames)
    assert any("10/40" in f and "loss 3.25, 250 tok/s" in f and "left" in f for f in frames)
    assert any("20/40" in f and "50%" in f and "loss 2.125" in f for f in frames)
    assert "3 rows\n" in screen.getvalue()
    assert "iteration 0: validation loss 4.5\n" in screen.getvalue()


def test_elsewhere_measurements_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    output = StringIO()
    monkeypatch.setattr("sys.stderr", output)

    play(Terminal(40))

    lines = output.getvalue().splitlines()
    assert lines[0].endswith("Loading owner/model")
    assert lines[1:3] == ["3 rows", "iteration 0: validation loss 4.5"]
    assert "step 20  loss 2.125" in lines[4]
    assert "\r" not in output.getvalue()
