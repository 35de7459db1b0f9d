"""Whenever a server is killed, what it leaves on disk is right and within its limit.

A few rounds each time; `KILLS=100` for the proof.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.plugins.ssd_engine import SsdEngine
from tests.plugins.ssd_victim import make_prompts
from tests.plugins.step_loop import reference

ROUNDS = int(os.environ.get("KILLS", "2"))
ROOT = Path(__file__).resolve().parents[3]
LIMIT = 600_000  # bytes: room for three prompts or so
ANSWER = 4


def kill_while_writing(checkpoint, folder, seed, numbers):
    """Start a server on the folder, and kill it at a random moment once it writes."""
    command = [sys.executable, "-m", "tests.plugins.ssd_victim", checkpoint, folder, LIMIT, seed]
    with subprocess.Popen(
        list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(numbers.randint(1, 6))]
        assert lines[-1] == b"writing\n", lines
        if numbers.random() < 0.5:
            time.sleep(numbers.uniform(0, 0.05))
        else:
            wait_for_half_a_file(folder)
        process.send_signal(signal.SIGKILL)


def wait_for_half_a_file(folder):
    deadline = time.monotonic() + 0.5
    while time.monotonic() < deadline and not list(folder.rglob("*.partial")):
        pass


def sizes(folder):
    return {p: p.stat().st_size for p in folder.rglob("*") if p.is_file() and p.name != "lock"}


async def test_every_later_request_is_right(tiny_checkpoint, tiny_model, tmp_path):
    checkpoint, folder = tiny_checkpoint("llama"), tmp_path / "cache"
    prompts = make_prompts()
    model = tiny_model("llama").model
    expected = [reference(model, prompt, ANSWER) for prompt in prompts]
    numbers = random.Random(os.urandom(8))
    restores = interrupted = 0

    for number in range(ROUNDS):
        kill_while_writing(checkpoint, folder, number, numbers)
        left = sizes(folder)
        assert sum(left.values()) <= LIMIT
        interrupted += any(path.suffix == ".partial" for path in left)

        engine = SsdEngine(checkpoint, folder, options={"max_bytes": LIMIT, "verify": True}).start()
        at_start = sizes(folder)
        assert all(path.suffix == ".safetensors" for path in at_start)
        assert engine.stats.bytes == sum(at_start.values()) <= LIMIT
        answers = [(await engine.answer(prompt, ANSWER)).tokens for prompt in prompts]
        restores += engine.stats.restores
        report = engine.flush()
        engine.close()

        assert answers == expected
        assert report.failed == 0
        assert engine.stats.bytes == sum(sizes(folder).values()) <= LIMIT

    assert restores > 0
    sys.stdout.write(
        f"{ROUNDS} kills, {interrupted} amid a file, {restores} prompts read from disk\n"
    )
    if ROUNDS >= 50:
        assert interrupted > 0, "no kill came amid a file: the proof proves little"


def test_the_limit_is_worth_something():
    """All prompts together would not fit."""
    per_token = 2 * 2 * 2 * 16 * 4  # layers, keys and values, heads, numbers, bytes of each

    assert sum(map(len, make_prompts())) * per_token > 2 * LIMIT
