"""The engine fails under two requests: both are told, and the next one is answered."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

CHAT = "/v1/chat/completions"
TEXT = "/v1/completions"
BOUND = 5  # seconds

pytestmark = pytest.mark.slow


def chat(words, **fields):
    return {"messages": [{"role": "user", "content": words}], **fields}


@pytest.mark.parametrize(
    ("words", "reason"),
    [("fail in launch", "no memory left"), ("fail in collect", "not a number")],
)
def test_a_failed_step_is_told_to_all_in_it_and_the_server_recovers(moody, words, reason):
    """Public case rl-01, over HTTP."""
    began = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        whole = pool.submit(moody.post, TEXT, json={"prompt": words})
        streamed = pool.submit(moody.post, CHAT, json=chat(words, stream=True))
        whole, streamed = whole.result(), streamed.result()

    assert time.monotonic() - began < BOUND
    assert whole.status_code == 500
    assert reason in whole.json()["error"]["message"]
    assert streamed.status_code == 200
    last = streamed.text.rstrip().split("\n\n")[-1]
    assert reason in json.loads(last.removeprefix("data: "))["error"]["message"]
    assert "[DONE]" not in streamed.text
    assert moody.get("/health").text == '{"status": "ok"}'
    answer = moody.post(CHAT, json=chat("hi"), timeout=BOUND)
    assert answer.json()["choices"][0]["message"]["content"] == "ok"
