"""Programs that mean harm are contained; programs that mean none are not disturbed."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.dataset.sandbox.run import Result, run_python

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="held by Linux alone")


def run(code: str, seconds: float = 20.0) -> Result:
    return asyncio.run(run_python(code, seconds))


HARMLESS = """
import asyncio, dataclasses, json, math, pathlib, random, secrets, tempfile, threading, zoneinfo

@dataclasses.dataclass
class Point:
    x: int

async def wait():
    await asyncio.sleep(0.001)
    return Point(3)

said = []
thread = threading.Thread(target=lambda: said.append(secrets.token_hex(2)))
thread.start(); thread.join()
assert len(said[0]) == 4 and __name__ == "__main__"
pathlib.Path("made.txt").write_text(json.dumps(asyncio.run(wait()).x))
pathlib.Path("made.txt").rename("renamed.txt")
tempfile.mkstemp(dir=".")
assert zoneinfo.ZoneInfo("Europe/Oslo")
print("done", math.pi > 3)
"""


def test_a_harmless_program_runs_to_its_end():
    assert run(HARMLESS) == Result("done True", "")


def test_it_has_an_empty_folder_no_environment_and_no_input(monkeypatch):
    monkeypatch.setenv("MLXSITE_API_KEYS", "secret")

    found = run("import os\nprint(os.listdir('.'), sorted(os.environ))\ninput()")

    assert found.output.startswith("['program.py'] ['LANG']")
    assert found.problem.startswith("EOFError")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("assert 1 == 2, 'no'", "AssertionError: no"),
        ("def (", "SyntaxError: invalid syntax"),
        ("import sys; sys.exit(3)", "status 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("import os; os.abort()", "SIGABRT ended it"),
        ("\ud800", "SyntaxError"),
    ],
)
def test_a_program_that_fails_says_why(code, problem):
    found = run(code)

    assert found.problem.startswith(problem)
    assert not found.succeeded


def test_a_traceback_tells_of_the_program_and_not_of_this_machine():
    found = run("import json\n\ndef f():\n    json.loads('{')\n\nf()")

    assert 'File "program.py", line 4, in f' in found.output
    assert str(Path.cwd()) not in found.output
    assert sys.base_prefix not in found.output


def test_one_that_never_ends_is_ended():
    assert run("while True: pass", 0.7).problem == "it ran for more than 0.7 seconds"


def test_one_that_prints_without_end_is_ended_however_much_is_on_its_way():
    async def together():
        code = "while True: print('x' * 100_000)"
        async with asyncio.timeout(20):
            return await asyncio.gather(*(run_python(code, 30) for _ in range(4)))

    for found in asyncio.run(together()):
        assert found.problem == "it printed more than 65,536 bytes"
        assert len(found.output) <= 65_536


def test_one_that_fills_the_disk_is_ended():
    code = "for n in range(99): open(str(n), 'wb').write(b'x' * 8_000_000)\nwhile True: pass"

    assert run(code).problem == "it wrote more than 67,108,864 bytes of files"


def test_a_file_has_a_largest_size():
    assert "File too large" in run("open('a', 'wb').write(b'x' * 10**7)").problem


@LINUX
def test_one_that_eats_memory_gets_no_more():
    assert run("x = []\nwhile True: x.append(bytearray(10**8))").problem == "MemoryError"


def attempt(codes: list[str]) -> list[str]:
    """Try each in one program; return what it raised, or "done"."""
    lines: list[str] = []
    for code in codes:
        lines += ["try:", f"    exec({code!r})", "    print('done')"]
        lines += ["except BaseException as error:", "    print(type(error).__name__)"]
    found = run("\n".join(lines)).output.splitlines()
    assert len(found) == len(codes), found
    return found


FORKS = [
    "import os; os.fork()",
    "import os; os.system('true')",
    "import os; os.execv('/bin/true', ['true'])",
    "import subprocess; subprocess.run(['true'])",
    "import multiprocessing; multiprocessing.Process(target=print).start()",
    "import _posixsubprocess, os\n_posixsubprocess.fork_exec([b'/bin/true'], [b'/bin/true'], True, "
    "(), None, None, -1, -1, -1, -1, -1, -1, *os.pipe(), False, False, 0, None, None, None, -1, "
    "None, False)",
]


def test_no_process_can_be_started():
    assert set(attempt(FORKS)) <= {"PermissionError", "BlockingIOError"}


CONNECTIONS = [
    "import socket; socket.create_connection(('127.0.0.1', {port}))",
    "import _socket; s = _socket.socket(2, 1); s.connect(('127.0.0.1', {port}))",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:{port}')",
    "import socket; socket.getaddrinfo('localhost', {port})",
]


def test_no_connection_can_be_made():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        port = server.getsockname()[1]

        found = attempt([code.format(port=port) for code in CONNECTIONS])

        assert set(found) <= {"PermissionError", "URLError", "gaierror"}
        with pytest.raises(BlockingIOError):
            server.accept()


CHANGES = [
    "open({path!r}, 'w')",
    "open({old!r}, 'a').write('more')",
    "import os; os.open({path!r}, os.O_CREAT | os.O_WRONLY)",
    "import os; os.symlink({folder!r}, 'way'); open('way/new', 'w')",
    "import os; os.remove({old!r})",
    "import os; os.rename('program.py', {path!r})",
    "import os; os.rename({old!r}, 'mine')",
    "import os; os.link({old!r}, 'mine'); open('mine', 'w')",
    "import os; os.chmod({old!r}, 0)",
    "import os; os.mkdir({path!r})",
    "import os; os.truncate({old!r}, 0)",
    "import shutil; shutil.rmtree({folder!r})",
    "import pathlib; pathlib.Path({path!r}).touch()",
]


def test_nothing_outside_of_its_folder_can_be_changed(tmp_path):
    old = tmp_path / "old"
    old.write_text("kept")
    names = {"path": str(tmp_path / "new"), "old": str(old), "folder": str(tmp_path)}

    found = attempt([code.format(**names) for code in CHANGES])

    assert "done" not in found
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert old.read_text() == "kept"
    assert old.stat().st_mode & 0o600 == 0o600


@LINUX
def test_nothing_outside_of_its_folder_can_be_read(tmp_path):
    (tmp_path / "secret").write_text("secret")

    found = run(f"print(open({str(tmp_path / 'secret')!r}).read())")

    assert "Permission denied" in found.problem
    assert "Permission denied" in run("import os; os.listdir(os.path.expanduser('~'))").problem


def test_no_signal_reaches_another_process():
    assert "PermissionError" in run(f"import os; os.kill({os.getpid()}, 0)").output


TOUCHES = [
    "import resource; resource.prlimit({pid}, resource.RLIMIT_CPU, (1, 1))",
    "import resource; resource.prlimit({pid}, resource.RLIMIT_CORE)",
    "import os; os.setpriority(os.PRIO_PROCESS, {pid}, 19)",
    "import os; os.sched_setaffinity({pid}, os.sched_getaffinity(0))",
    "import os; os.sched_setscheduler({pid}, os.SCHED_BATCH, os.sched_param(0))",
    "import os; os.sched_setparam({pid}, os.sched_param(0))",
    "import fcntl, os; fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, {pid})",
]


@LINUX
def test_nothing_of_another_process_can_be_changed():
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        found = attempt([code.format(pid=other.pid) for code in TOUCHES])

        assert set(found) == {"PermissionError"}
        assert other.poll() is None
    finally:
        other.communicate()


@LINUX
def test_a_program_may_ask_for_its_own_limits():
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"

    assert run(code).output == "(0, 0)"


def test_a_task_that_is_cancelled_takes_the_program_along(tmp_path):
    async def cancel_soon():
        task = asyncio.create_task(run_python("while True: pass"))
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), 5)

    asyncio.run(cancel_soon())
