"""Runs a program that a model wrote, in a process that can do nothing but compute.

The process confines itself before it reads the program: `jobs.dataset.sandbox.child`. From here it
gets an empty folder, no environment, no input, and an end.
"""

import asyncio
import contextlib
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = "program.py"
SECONDS = 10.0
MOST_OUTPUT = 64 * 2**10  # bytes
MOST_FILES_BYTES = 64 * 2**20  # of all files that it has at a time
LOOK_SECONDS = 0.2
READ_BYTES = 4096
# In a program that is nobody's module; our own folder is forgotten as soon as it is confined.
START = "import sys; sys.path.insert(0, {!r}); from jobs.dataset.sandbox.child import main; main()"


@dataclass(frozen=True, slots=True)
class Result:
    """output: what was printed, errors too. problem: why it did not succeed; else empty."""

    output: str
    problem: str = ""

    @property
    def succeeded(self) -> bool:
        return not self.problem


async def run_python(code: str, seconds: float = SECONDS) -> Result:
    """Run a program to its end, or for so long. When the task is cancelled the program ends."""
    with tempfile.TemporaryDirectory(prefix="mlxsite-code-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / PROGRAM).write_bytes(code.encode("utf-8", "replace"))
        process = await _start(folder)
        try:
            return await _follow(process, folder, seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            # Output that nobody reads keeps asyncio from seeing the end.
            await process.communicate()


async def _start(folder: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-B", "-X", "utf8", "-c", START.format(str(ROOT))),
        cwd=folder,
        env={"LANG": "C.UTF-8"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        limit=READ_BYTES,
    )


async def _follow(process: asyncio.subprocess.Process, folder: Path, seconds: float) -> Result:
    """Read until the program ends, or does too much of something."""
    assert process.stdout is not None
    output = bytearray()
    reading = asyncio.ensure_future(_read(process.stdout, output))
    try:
        ends_at = asyncio.get_running_loop().time() + seconds
        while not reading.done():
            left = ends_at - asyncio.get_running_loop().time()
            await asyncio.wait([reading], timeout=max(0.0, min(left, LOOK_SECONDS)))
            if _size_of(folder) > MOST_FILES_BYTES:
                return _result(output, f"it wrote more than {MOST_FILES_BYTES:,} bytes of files")
            if left <= 0:
                return _result(output, f"it ran for more than {seconds:g} seconds")
    finally:
        reading.cancel()
        await asyncio.wait([reading])
    if len(output) > MOST_OUTPUT:
        return _result(output, f"it printed more than {MOST_OUTPUT:,} bytes")
    return _result(output, _ending(await process.wait(), output))


async def _read(stream: asyncio.StreamReader, output: bytearray) -> None:
    while len(output) <= MOST_OUTPUT and (data := await stream.read(READ_BYTES)):
        output += data


def _size_of(folder: Path) -> int:
    size = 0
    with contextlib.suppress(OSError):  # it removes its files as it likes
        for path in folder.rglob("*"):
            size += path.lstat().st_size
    return size


def _ending(status: int, output: bytearray) -> str:
    if status == 0:
        return ""
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"{signal.Signals(-status).name} ended it"
    *_, last = output.decode(errors="replace").strip().splitlines() or [f"status {status}"]
    return last[:300]


def _result(output: bytearray, problem: str) -> Result:
    return Result(bytes(output[:MOST_OUTPUT]).decode(errors="replace").strip(), problem)
