"""A streaming client of the OpenAI chat protocol that notes when text arrives."""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

Messages = list[dict[str, str]]


@dataclass(slots=True)
class Answer:
    """One streamed answer, as far as it has come.

    sent_at, times: clock of `time.perf_counter`; one time for each event that had text.
    prompt_tokens, completion_tokens: as the server counted them; 0 until the end.
    """

    sent_at: float
    times: list[float] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def seconds_to_first_token(self) -> float:
        if not self.times:
            raise RuntimeError("the answer had no text")
        return self.times[0] - self.sent_at

    def take(self, event: dict[str, Any], now: float) -> None:
        """Take in one event of the stream; raises RuntimeError if it reports an error."""
        if error := event.get("error"):
            raise RuntimeError(f"the stream ended with an error: {json.dumps(error)}")
        if any(choice["delta"].get("content") for choice in event.get("choices", ())):
            self.times.append(now)
        if usage := event.get("usage"):
            self.prompt_tokens = usage["prompt_tokens"]
            self.completion_tokens = usage["completion_tokens"]


@asynccontextmanager
async def connect(url: str, timeout_seconds: float) -> AsyncIterator[httpx.AsyncClient]:
    """Open a client of the server at `url`; no answer may pause longer than the timeout."""
    limits = httpx.Limits(max_connections=None)
    # The environment's proxies are for other hosts than this one.
    async with httpx.AsyncClient(
        base_url=url, timeout=timeout_seconds, limits=limits, trust_env=False
    ) as client:
        yield client


async def ask(client: httpx.AsyncClient, messages: Messages, max_tokens: int) -> Answer:
    """Stream one greedy answer to its end."""
    answer = Answer(time.perf_counter())
    async for _ in stream(client, messages, max_tokens, answer):
        pass
    return answer


async def stream(
    client: httpx.AsyncClient, messages: Messages, max_tokens: int, answer: Answer
) -> AsyncGenerator[Answer, None]:
    """Stream one greedy answer into `answer`, and yield it after every event.

    Raises RuntimeError for a status other than 200, httpx.HTTPError for a lost connection.
    """
    body = {
        "messages": messages,
        "max_tokens": max_tokens,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    async with client.stream("POST", "/v1/chat/completions", json=body) as response:
        if response.status_code != httpx.codes.OK:
            text = (await response.aread()).decode(errors="replace")
            raise RuntimeError(f"status {response.status_code}: {text[:200]}")
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                answer.take(json.loads(line.removeprefix("data: ")), time.perf_counter())
                yield answer
