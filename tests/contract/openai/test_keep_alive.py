"""A stream that has nothing to say shows that it lives, and clients read on through it."""

import time

import openai
import pytest

SLOW = "a slow prompt"
COMMENT = ": keep-alive"
PREFILL = 1.0  # seconds without a pause, as the server has it

pytestmark = pytest.mark.slow


@pytest.fixture
def client(moody_server):
    url = f"{moody_server.url}/v1"
    with openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        yield client


def test_headers_come_at_once_and_comments_while_a_long_prompt_is_computed(moody, route):
    """Public case st-13, with shorter times."""
    began = time.monotonic()
    with moody.stream("POST", route.path, json=route.body(SLOW, stream=True)) as response:
        headers_after = time.monotonic() - began
        lines = [line for line in response.iter_lines() if line]

    assert response.status_code == 200
    assert headers_after < PREFILL / 2
    comments = [index for index, line in enumerate(lines) if line == COMMENT]
    assert len(comments) >= 3
    first_text = next(index for index, line in enumerate(lines) if "ok" in line or '"o"' in line)
    assert max(comments) < first_text
    assert all(line.startswith("data: ") for line in lines if line != COMMENT)
    assert lines[-1] == "data: [DONE]"


def test_openais_client_reads_through_the_comments_of_a_chat(client):
    """Public case st-13."""
    with client.chat.completions.create(
        model="any", messages=[{"role": "user", "content": SLOW}], stream=True
    ) as stream:
        pieces = [chunk.choices[0].delta.content or "" for chunk in stream]

    assert "".join(pieces) == "ok"


def test_openais_client_reads_through_the_comments_of_a_text_completion(client):
    """Public case st-13."""
    with client.completions.create(model="any", prompt=SLOW, stream=True) as stream:
        pieces = [chunk.choices[0].text for chunk in stream]

    assert "".join(pieces) == "ok"
