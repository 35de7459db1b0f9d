"""What is asked of a running server, and the one figure that each workload gives."""

import asyncio
import statistics
import time
from contextlib import aclosing

from benchmarks.client import Answer, ask, connect, stream
from benchmarks.prompts import long_prompt, story
from benchmarks.rates import shared_rate, worst_gap

WARM_QUESTIONS = 3
ORDINARY_EVENTS = 12  # of a running stream before a long prompt is sent
STORY_TOKENS = 2048
ANSWER_TOKENS = 4  # enough that one of them is text


async def cold_first_token(url: str, prompt_tokens: int, timeout_seconds: float) -> float:
    """Return the seconds to the first token of a long prompt that the server never saw."""
    async with connect(url, timeout_seconds) as client:
        prompt = long_prompt(prompt_tokens, topic=1, question=0)
        return (await ask(client, prompt, ANSWER_TOKENS)).seconds_to_first_token


async def warm_first_token(url: str, prompt_tokens: int, timeout_seconds: float) -> float:
    """Return the seconds to the first token of prompts that share all but their end.

    The median over a few of them, after one that makes sure that the rest was seen.
    """
    async with connect(url, timeout_seconds) as client:
        _, *warm = [
            await ask(client, long_prompt(prompt_tokens, topic=1, question=number), ANSWER_TOKENS)
            for number in range(1 + WARM_QUESTIONS)
        ]
    return statistics.median(answer.seconds_to_first_token for answer in warm)


async def decode_rate(url: str, streams: int, tokens: int, timeout_seconds: float) -> float:
    """Return tokens per second of `streams` concurrent answers of `tokens` tokens each."""
    async with connect(url, timeout_seconds) as client:
        answers = await asyncio.gather(
            *(ask(client, story(100 * streams + number), tokens) for number in range(streams))
        )
    return shared_rate(
        [answer.times for answer in answers],
        [answer.completion_tokens / max(len(answer.times), 1) for answer in answers],
    )


async def worst_gap_steps(url: str, prompt_tokens: int, timeout_seconds: float) -> float:
    """Return the worst pause of a running stream while a long prompt is computed.

    In ordinary steps: the same stream's median pause before that prompt was sent.
    """
    running = Answer(time.perf_counter())
    late: asyncio.Task[Answer] | None = None
    async with (
        connect(url, timeout_seconds) as client,
        # The story outlasts the measurement; leaving it tells the server to stop.
        aclosing(stream(client, story(0), STORY_TOKENS, running)) as events,
    ):
        async for _ in events:
            if late is None and len(running.times) == ORDINARY_EVENTS:
                prompt = long_prompt(prompt_tokens, topic=2, question=0)
                late = asyncio.create_task(ask(client, prompt, ANSWER_TOKENS))
            if late is not None and late.done():
                break
        if late is None:
            raise RuntimeError("the stream ended before the long prompt was sent")
        answer = await late
    read_at = answer.sent_at + answer.seconds_to_first_token
    return worst_gap(running.times, answer.sent_at, read_at)
