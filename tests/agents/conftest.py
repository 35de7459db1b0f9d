"""Tests that drive real clients: collected only if this folder is named, as by `make agents`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents import packages
from tests.agents.agents import AGENTS
from tests.agents.drive import PATIENCE

HERE = Path(__file__).parent
TASKS = 3  # of one agent; they are one fixture, so one test waits for all of them
TRIALS = pytest.StashKey()


def pytest_ignore_collect(config):
    """Leave this folder out of a run that does not name it: the packages are large."""
    named = [Path(str(arg).partition("::")[0]).absolute() for arg in config.args]
    return None if any(path == HERE or HERE in path.parents for path in named) else True


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout((TASKS + 1) * PATIENCE))


@pytest.fixture(scope="session")
def installed():
    """The folder of the clients; the test is skipped where they are not installed."""
    if (reason := packages.missing()) is not None:
        pytest.skip(reason)
    return packages.folder()


@pytest.fixture(scope="module", params=AGENTS)
def trial(request, installed):
    """How the tasks of one agent went, as `drive` prints it."""
    command = [sys.executable, "-m", "tests.agents.drive", request.param]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    trial = json.loads(result.stdout)
    request.config.stash.setdefault(TRIALS, []).append(trial)
    return trial


def pytest_terminal_summary(terminalreporter, config):
    trials = config.stash.get(TRIALS, [])
    if not trials:
        return
    terminalreporter.section("coding agents")
    head = ("agent", "task", "requests", "prompt", "cached", "exit", "done")
    terminalreporter.line(ROW.format(*head))
    for trial in trials:
        for task in trial["tasks"]:
            terminalreporter.line(ROW.format(trial["agent"], *figures(task)))
    if not all(trial["offline"] for trial in trials):
        terminalreporter.line("The network was not taken away: this system does not allow it.")


ROW = "{:<14} {:<24} {:>8} {:>8} {:>7} {:>5} {:>5}"


def figures(task):
    """Return what the table says of a task; a token is a byte."""
    session = "same session" if task["resumed"] else "new session"
    prompt = sum(request["prompt"] for request in task["requests"])
    cached = sum(request["cached"] for request in task["requests"])
    share = f"{cached / prompt:.1%}" if prompt else "none"
    done = "yes" if task["done"] else "no"
    name = f"{task['colour']}, {session}"
    return name, len(task["requests"]), prompt, share, str(task["exit"]), done
