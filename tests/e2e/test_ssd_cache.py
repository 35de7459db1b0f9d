"""A server that is stopped, or killed, and what it still knows when it is back."""

import json
import signal

import httpx
import pytest

from tests.plugins.server import ServerProcess
from tests.plugins.tiny_model import write_checkpoint

pytestmark = pytest.mark.slow

CHAT = "/v1/chat/completions"
CONTEXT = 4096
QUESTION = "The quick brown fox jumps over the lazy dog. " * 45  # some 2,000 tokens


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "tiny"
    write_checkpoint(folder, "llama")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": CONTEXT}))
    return folder


@pytest.fixture
def start(start_process, checkpoint, tmp_path):
    """Start a server on the same folders each time."""
    cache = tmp_path / "cache"
    return lambda *flags: start_process(
        "--model", str(checkpoint), "--ssd-cache", str(cache), *flags
    )


def body(content=QUESTION, **fields):
    messages = [{"role": "user", "content": content}]
    return {"messages": messages, "max_tokens": 12, "temperature": 0, **fields}


def ask(server: ServerProcess, wanted):
    response = httpx.post(server.url + CHAT, json=wanted, timeout=120)
    assert response.status_code == 200, response.text
    answer = response.json()
    return answer["choices"][0]["message"]["content"], answer["usage"]


def assert_known(server, wanted, text):
    """Ask again: the answer is the same, and hardly any of the prompt was computed."""
    again, usage = ask(server, wanted)
    assert again == text
    assert usage["prompt_tokens"] > 2000
    assert usage["prompt_tokens_details"]["cached_tokens"] > 0.9 * usage["prompt_tokens"]


def test_prompts_are_known_after_a_shutdown_and_after_a_flush(start):
    first, second = body(), body("And again. " + QUESTION)
    server = start()
    text, usage = ask(server, first)
    assert usage["prompt_tokens_details"]["cached_tokens"] == 0
    server.signal(signal.SIGTERM)  # writes what nobody flushed, and what had not settled
    assert server.wait() == 0, server.log

    server = start()
    assert_known(server, first, text)
    figures = httpx.get(server.url + "/stats", timeout=30).json()["ssd_cache"]
    assert (figures["restores"], figures["failed_spills"], figures["dropped_spills"]) == (1, 0, 0)
    other_text, _ = ask(server, second)
    flushed = httpx.post(server.url + "/admin/cache/flush", timeout=60)
    server.signal(signal.SIGKILL)
    server.wait()

    assert flushed.status_code == 200
    assert flushed.json()["durable"] is True
    assert flushed.json()["longest_durable_prefix_tokens"] > 2000
    server = start()
    assert_known(server, first, text)
    assert_known(server, second, other_text)


def test_an_answer_goes_on_where_the_server_was_killed(start):
    sampling = {"temperature": 1.0, "top_p": 0.9, "seed": 42, "logit_bias": {"258": -100}}
    wanted = body("Tell me a story.", max_tokens=600, **sampling)
    flags = ("--batch", "1", "--generation-checkpoint", "8")
    server = start(*flags)
    whole, _ = ask(server, wanted)
    seen = ""
    with httpx.stream("POST", server.url + CHAT, json={**wanted, "stream": True}) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                seen += json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
            if len(seen) > 100:
                break
        server.signal(signal.SIGKILL)
        server.wait()

    text, usage = ask(start(*flags), wanted)

    assert text == whole
    assert text.startswith(seen)
    assert usage["prompt_tokens_details"]["cached_tokens"] == usage["prompt_tokens"] - 1
    assert usage["completion_tokens"] == 600
