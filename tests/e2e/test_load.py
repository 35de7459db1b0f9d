"""Thousands of requests of every shape: memory stays flat, and nothing stays behind."""

import asyncio
import random
import resource
from pathlib import Path

import httpx
import pytest

REQUESTS = 1000  # each of two rounds
AT_ONCE = 40
MARGIN = 24 * 2**20  # bytes; a leak of the caches of ten requests would be more

pytestmark = [pytest.mark.alone, pytest.mark.slow]


def resident_bytes(process):
    pages = Path(f"/proc/{process.process.pid}/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def make_request(numbers):
    """One request of a random shape: route, length, sampling, streaming; most can succeed."""
    text = "word " * numbers.randrange(1, 60) + str(numbers.randrange(5))
    fields = {"max_tokens": numbers.randrange(1, 8), "stream": numbers.random() < 0.5}
    optional = {
        "temperature": numbers.choice([0, 0.7, 1.5]),
        "top_p": 0.9,
        "top_k": numbers.choice([0, 5, 50]),
        "min_p": 0.05,
        "seed": numbers.randrange(100),
        "logprobs": True,
        "top_logprobs": numbers.randrange(4),
        "logit_bias": {str(numbers.randrange(200)): numbers.uniform(-50, 50)},
        "repetition_penalty": 1.2,
        "presence_penalty": 0.5,
        "frequency_penalty": 0.5,
        "frequency_context_size": 0,
        "xtc_probability": 0.5,
        "xtc_threshold": 0.1,
        "stop": numbers.choice(["e", ["a", "zz"]]),
        "bogus": {"ignored": [1]},
    }
    for name in numbers.sample(sorted(optional), numbers.randrange(4)):
        fields[name] = optional[name]
    if numbers.random() < 0.05:
        fields["max_tokens"] = -1
    if numbers.random() < 0.3:
        return "/v1/completions", {"prompt": text, **fields}
    return "/v1/chat/completions", {"messages": [{"role": "user", "content": text}], **fields}


async def send_all(url, count, numbers):
    """Send `count` requests, some of which leave in the middle; returns statuses by kind."""
    statuses = {"read": [], "left": 0}
    gate = asyncio.Semaphore(AT_ONCE)

    async def send(client, path, fields, leaves):
        async with gate, client.stream("POST", f"{url}{path}", json=fields) as response:
            if leaves:
                statuses["left"] += 1
                return
            await response.aread()
            statuses["read"].append((response.status_code, fields["max_tokens"]))

    async with httpx.AsyncClient(timeout=120) as client:
        wanted = [(*make_request(numbers), numbers.random() < 0.1) for _ in range(count)]
        await asyncio.gather(*(send(client, *one) for one in wanted))
    return statuses


async def idle(url):
    async with httpx.AsyncClient(timeout=30) as client:
        for _ in range(600):
            batch = (await client.get(f"{url}/stats")).json()["batch"]
            if batch["active_rows"] + batch["pending_rows"] == 0:
                return
            await asyncio.sleep(0.05)
    raise AssertionError(f"still in the engine: {batch}")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
async def test_two_thousand_mixed_requests_leave_memory_flat(start_process, tiny_checkpoint):
    # A small prefix cache is full after the first round, so it does not count as growth.
    process = start_process("--model", str(tiny_checkpoint("llama")), "--prompt-cache", "0.02")
    numbers = random.Random(11)
    held = []

    for _ in range(2):
        statuses = await send_all(process.url, REQUESTS, numbers)
        await idle(process.url)
        held.append(resident_bytes(process))

        assert statuses["left"] > 50
        assert len(statuses["read"]) + statuses["left"] == REQUESTS
        assert all(status == (400 if limit < 0 else 200) for status, limit in statuses["read"])

    assert held[1] - held[0] < MARGIN
    batch = httpx.get(f"{process.url}/stats", timeout=30).json()["batch"]
    assert batch["kv_bytes"] == 0
    assert "Traceback" not in process.log


async def test_the_sixty_fifth_waiter_is_refused(start_process):
    process = start_process("--scripted")
    endless = {"messages": [{"role": "user", "content": "x " * 2000}], "stream": True}
    async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=100)) as client:
        streams = [
            client.stream("POST", f"{process.url}/v1/chat/completions", json=endless)
            for _ in range(8 + 64)
        ]
        opened = await asyncio.gather(*(stream.__aenter__() for stream in streams))
        refused = await client.post(f"{process.url}/v1/chat/completions", json=endless)
        for stream in streams:
            await stream.__aexit__(None, None, None)

    assert {response.status_code for response in opened} == {200}
    assert refused.status_code == 429
    error = refused.json()["error"]
    assert (error["type"], error["code"]) == ("resource_admission", "queue_full")
    assert "64" in error["message"]
    assert int(refused.headers["retry-after"]) > 0
