"""What a person sees of a dataset that is built at a terminal."""

import pytest

from jobs.dataset.terminal import Terminal
from jobs.emitter import Emitter


def tell(terminal: Terminal) -> None:
    with terminal:
        emit = Emitter(terminal)
        emit.stage("generate", 0.25, "1 of 4 done")
        emit.log("a call failed: too long")


def test_without_a_terminal_stages_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    tell(Terminal())

    printed = capsys.readouterr()
    assert printed.err.splitlines() == [" 25% 1 of 4 done", "a call failed: too long"]
    assert printed.out == ""


def test_at_a_terminal_a_bar_shows_the_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)

    tell(Terminal())

    shown = capsys.readouterr().err
    assert " 25% |" in shown
    assert "1 of 4 done" in shown
    assert "a call failed: too long\n" in shown
