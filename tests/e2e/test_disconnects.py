"""Clients that leave in the middle: what they held is free at once."""

import resource
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

PATH = "/v1/chat/completions"
CLIENTS = 50  # at once; the line takes 8 that run and 64 that wait
ROUNDS = 2
BOUND = 10  # seconds until a slot must be free
MARGIN = 8 * 2**20  # bytes; noise of a Python process, far below 50 leaked requests

pytestmark = [pytest.mark.alone, pytest.mark.slow]


@pytest.fixture
def process(start_process):
    return start_process("--scripted")


def body(content="hi", **fields):
    return {"messages": [{"role": "user", "content": content}], **fields}


def leave_after(url, lines):
    """Open a stream that would take 15 seconds, read some lines of it, and go."""
    wanted = body("Write forever. " * 450, stream=True, max_tokens=4096)
    with httpx.stream("POST", f"{url}{PATH}", json=wanted, timeout=60) as response:
        assert response.status_code == 200
        for _number, _line in zip(range(lines), response.iter_lines(), strict=False):
            pass


def crowds_leave(url, lines):
    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in range(ROUNDS):
            for left in [pool.submit(leave_after, url, lines) for _ in range(CLIENTS)]:
                left.result()
            wait_until_idle(url)


def wait_until_idle(url):
    deadline = time.monotonic() + BOUND
    while True:
        batch = httpx.get(f"{url}/stats", timeout=30).json()["batch"]
        if batch["active_rows"] + batch["pending_rows"] == 0:
            return
        assert time.monotonic() < deadline, f"still in the engine: {batch}"
        time.sleep(0.05)


def resident_bytes(process):

    pages = Path(f"/proc/{process.process.pid}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def open_files(process):

    return len(list(Path(f"/proc/{process.process.pid}/fd").iterdir()))


def test_a_client_that_leaves_frees_its_slot_and_the_next_is_answered(process):
    # Public case st-14.
    leave_after(process.url, lines=2)

    wait_until_idle(process.url)
    answer = httpx.post(f"{process.url}{PATH}", json=body(max_tokens=2), timeout=30)

    assert answer.status_code == 200
    assert answer.json()["usage"]["completion_tokens"] == 2


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_two_hundred_clients_that_leave_leave_nothing_behind(process):
    crowds_leave(process.url, lines=4)
    memory, files = resident_bytes(process), open_files(process)

    crowds_leave(process.url, lines=4)

    assert resident_bytes(process) - memory < MARGIN
    assert open_files(process) <= files + 2
    assert httpx.post(f"{process.url}{PATH}", json=body(), timeout=30).status_code == 200
    assert "Traceback" not in process.log


def test_clients_that_leave_before_the_first_byte_leave_nothing_behind(process):
    def leave_at_once(_number):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{process.url}{PATH}",
                json=body("Write forever. " * 450),
                timeout=httpx.Timeout(30, read=0.5),
            )

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(leave_at_once, range(20)))

    wait_until_idle(process.url)
    assert "Traceback" not in process.log
