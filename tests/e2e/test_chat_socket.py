"""The chat over a real WebSocket of the real server, with the scripted and the starter model."""

import asyncio
import json

import pytest
import websockets

pytestmark = pytest.mark.slow

PATIENCE = 60  # seconds; a real model on a busy machine


def socket_of(url, **headers):
    return websockets.connect(
        url.replace("http://", "ws://") + "/ws/chat",
        additional_headers=headers,
        max_size=None,
        proxy=None,
    )


async def until(socket, kind):
    frames = []
    while not frames or frames[-1]["type"] != kind:
        frames.append(json.loads(await asyncio.wait_for(socket.recv(), PATIENCE)))
    return frames


async def ask(socket, text):
    await socket.send(json.dumps({"type": "prompt", "text": text}))
    frames = await until(socket, "turn_end")
    return "".join(f["delta"] for f in frames if f["type"] == "text_delta"), frames[-1]


async def test_two_turns_are_answered_and_a_search_finds_them(server):
    async with socket_of(server) as socket:
        await until(socket, "coding_tools")
        text, end = await ask(socket, "the word zugzwang")
        again, _ = await ask(socket, "and again")

    assert text.endswith("You said: the word zugzwang")
    assert again.endswith("You said: and again")
    assert end["lane"] in ("serial", "batched")


async def test_broken_frames_in_numbers_leave_the_socket_open(server):
    hostile = ["", "{", "null", "1", '"x"', "[]", "{}", '{"type":1}', '{"type":"prompt","text":[]}']
    async with socket_of(server) as socket:
        await until(socket, "coding_tools")
        for number in range(500):
            await socket.send(hostile[number % len(hostile)] + " " * (number % 7))
            assert json.loads(await asyncio.wait_for(socket.recv(), 10))["type"] == "error"
        assert (await ask(socket, "alive?"))[0].endswith("alive?")


@pytest.mark.parametrize(
    ("origin", "accepted"),
    [
        ("https://evil.example", False),
        ("null", False),
        ("http://localhost.evil.example", False),
        ("http://127.0.0.1:9999", False),
        ("SELF", True),
        (None, True),
    ],
)
async def test_pages_of_other_sites_get_no_socket(server, origin, accepted):
    """Public case se-02."""
    headers = {} if origin is None else {"Origin": server if origin == "SELF" else origin}

    if accepted:
        async with socket_of(server, **headers) as socket:
            await until(socket, "ready")
    else:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with socket_of(server, **headers):
                pass
        assert refused.value.response.status_code == 403


@pytest.mark.starter
async def test_the_starter_model_holds_a_conversation(start_server, starter_model):
    server = start_server("--model", str(starter_model), "--temperature", "0")
    async with socket_of(server) as socket:
        ready = (await until(socket, "ready"))[-1]
        await until(socket, "coding_tools")
        first, end = await ask(socket, "What is the capital of France? Answer in one sentence.")
        _, second = await ask(socket, "Thank you. Say it once more.")

    assert "SmolLM2" in ready["model"]
    assert "Paris" in first
    assert end["usage"]["completion_tokens"] > 3
    # What was said before is not computed again.
    assert second["usage"]["cached_tokens"] > 0.8 * end["usage"]["prompt_tokens"]
