"""Drives one agent through its tasks, and prints as JSON how it went.

    python -m tests.agents.drive claude [--keep FOLDER] [--silence SECONDS] [--env NAME=VALUE]

The agent gets a home and a working folder of its own, the network of this process is loopback
alone, and one server serves three tasks: two in one session, one in another. With --keep what
agent and server wrote is left in FOLDER. With --silence the model takes so long for the first
prompt. With --env the agent gets one setting more, or another one; an empty value takes it away.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.agents import packages, play
from tests.agents.agents import AGENTS
from tests.agents.offline import leave_network
from tests.plugins.server import ServerProcess, free_port, stop

PATIENCE = 120  # seconds for one task, beside the silence
TASKS = (("blue", False), ("green", True), ("yellow", False))
"""The colour to be, and whether the newest session goes on."""


def start_server(folder, work, silence=0.0):
    port = free_port()
    log_path = folder / "server.log"
    program = [sys.executable, "-m", "tests.agents.server"]
    command = [*program, str(port), work, folder / "requests", str(silence)]
    own = {name: value for name, value in os.environ.items() if not name.startswith("MLXSITE_")}
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            command,
            env={**own, "MLXSITE_STATE_DIR": str(folder / "state")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    server = ServerProcess(process, f"http://127.0.0.1:{port}", log_path)
    server.wait_until_ready()
    return server


def run_group(command, patience, **options):
    """Run a program and what it starts; return its exit status, None if it had to be killed."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def run_task(agent, colour, resumed, folder, patience):
    """Have the agent do one task; return what became of it."""
    log, note = folder / "requests", folder / "work" / "note.txt"
    before = len(log.read_text().splitlines())
    command = agent.call(play.task(colour), resumed=resumed)
    bin_dir = packages.folder() / "node_modules" / ".bin"
    command[0] = str(bin_dir / command[0])
    home = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "TERM": "dumb"}
    with (folder / f"{colour}.out").open("wb") as out, (folder / f"{colour}.err").open("wb") as err:
        status = run_group(
            command,
            patience,
            cwd=note.parent,
            env={"LANG": "C.UTF-8", **home, **agent.env},
            stdin=subprocess.DEVNULL,  # Codex would read it to its end
            stdout=out,
            stderr=err,
        )
    return {
        "colour": colour,
        "resumed": resumed,
        "exit": status,
        "done": note.read_text() == f"size = 3\ncolour = {colour}\n",
        "said": f"It is {colour} now." in (folder / f"{colour}.out").read_text(),
        "requests": [json.loads(line) for line in log.read_text().splitlines()[before:]],
    }


def drive(name, folder, silence, settings):
    """Return how the agent's tasks went, in order."""
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    (work / "note.txt").write_text("size = 3\ncolour = red\n")
    server = start_server(folder, work, silence)
    try:
        agent = AGENTS[name](home, server.url)
        agent.env |= settings
        agent.env = {name: value for name, value in agent.env.items() if value}
        patience = PATIENCE + 2 * silence  # an agent that gives up may start anew
        return [run_task(agent, colour, resumed, folder, patience) for colour, resumed in TASKS]
    finally:
        stop(server)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agent", choices=AGENTS)
    parser.add_argument("--keep", type=Path, help="folder, to be made, for what was written")
    parser.add_argument("--silence", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    settings = dict(pair.split("=", 1) for pair in options.env)
    offline = leave_network()
    with tempfile.TemporaryDirectory(prefix="agent-") as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        tasks = drive(options.agent, folder.absolute(), options.silence, settings)
    print(json.dumps({"agent": options.agent, "offline": offline, "tasks": tasks}))  # noqa: T201


if __name__ == "__main__":
    main()
