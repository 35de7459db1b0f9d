"""A real server over a tiny random model: what it answers must not depend on company."""

import asyncio
import json
import random
import re
from collections.abc import Iterator

import httpx
import pytest

from tests.plugins.server import ServerProcess, spawn, stop

PATH = "/v1/chat/completions"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["llama", "hybrid"])
def process(request, tiny_checkpoint, tmp_path_factory) -> Iterator[ServerProcess]:
    server = spawn(tmp_path_factory.mktemp("tiny"), "--model", str(tiny_checkpoint(request.param)))
    server.wait_until_ready()
    yield server
    stop(server)


def body(content="Story about a cat.", **fields):
    messages = [{"role": "user", "content": content}]
    return {"messages": messages, "temperature": 0, "max_tokens": 24, **fields}


def ask(process, wanted):
    response = httpx.post(f"{process.url}{PATH}", json=wanted, timeout=60)
    assert response.status_code == 200, response.text
    return response.json()


def text_of(answer):
    return answer["choices"][0]["message"]["content"]


async def ask_all(process, bodies, delays=None):
    """Send all bodies at once, or each after its delay; returns the responses in order."""

    async with httpx.AsyncClient(timeout=120) as client:

        async def send(wanted, delay):
            await asyncio.sleep(delay)
            return await client.post(f"{process.url}{PATH}", json=wanted)

        waits = delays or [0.0] * len(bodies)
        return await asyncio.gather(*(send(b, d) for b, d in zip(bodies, waits, strict=True)))


async def test_a_biased_token_is_all_that_comes_also_among_others(process):
    """Public case pa-03, variant 1."""
    letter = ord("x")  # the tokenizer has one token for each byte, printable ones in order
    plain = body("hi", max_tokens=40)
    biased = body("hi", max_tokens=3, logit_bias={str(letter - ord("!")): 100})

    alone = ask(process, biased)
    together = await ask_all(process, [plain, biased, plain, biased])

    assert text_of(alone) == "xxx"
    assert [text_of(r.json()) for r in together[1::2]] == ["xxx", "xxx"]
    assert "xxx" not in text_of(together[0].json())


async def test_a_seed_fixes_the_answer_also_among_others(process):
    """Public case pa-04."""

    def hot(**fields):
        return body(temperature=1.0, **fields)

    noise = [hot(max_tokens=30) for _ in range(4)]
    bodies = [hot(seed=11111), hot(seed=22222), hot()]

    answers = await ask_all(process, [*noise[:2], *bodies, *noise[2:], *bodies, *bodies])

    texts = [text_of(response.json()) for response in answers]
    first, second, unseeded = ({texts[i + n] for i in (2, 7, 10)} for n in range(3))
    assert len(first) == len(second) == 1
    assert first != second
    assert len(unseeded) > 1
    assert text_of(ask(process, hot(seed=11111))) in first
    cold = {text_of(ask(process, body(seed=seed))) for seed in (1, 2, 3)}
    assert len(cold) == 1


def test_logprobs_are_those_of_the_greedy_tokens(process):
    """Public case pa-06, variants 1 and 2."""
    chosen = ask(process, body("hi", max_tokens=3, logprobs=True))
    ranked = ask(process, body("hi", max_tokens=3, logprobs=True, top_logprobs=5))

    brief = chosen["choices"][0]["logprobs"]["content"]
    full = ranked["choices"][0]["logprobs"]["content"]
    assert len(brief) == len(full) == chosen["usage"]["completion_tokens"]
    for one, other in zip(brief, full, strict=True):
        assert one["id"] == other["id"] == other["top_logprobs"][0]["id"]
        assert one["logprob"] == pytest.approx(other["logprob"], abs=1e-5)
        values = [candidate["logprob"] for candidate in other["top_logprobs"]]
        assert len(values) == 5 and values == sorted(values, reverse=True) and values[0] <= 0
    assert chosen["usage"]["lane"] == "serial"


async def test_sixteen_requests_at_once_are_answered_as_if_alone(process):
    """Public case cb-01."""
    numbers = random.Random(5)
    bodies = []
    for index in range(16):
        words = " ".join(str(numbers.randrange(10**6)) for _ in range(numbers.randint(1, 90)))
        bodies.append(body(f"Repeat exactly: TOKEN-{index}-{words}"[:600]))
    alone = [text_of(ask(process, wanted)) for wanted in bodies[::2]]  # half will be cache hits

    delays = [numbers.random() * 0.05 for _ in bodies]
    together = [text_of(r.json()) for r in await ask_all(process, bodies, delays)]

    assert together[::2] == alone
    assert together[1::2] == [text_of(ask(process, wanted)) for wanted in bodies[1::2]]


async def test_prompts_that_begin_alike_are_answered_as_if_alone(process):
    """Public case cb-05."""
    long = "word " * 100
    bodies = [body(c, max_tokens=10) for c in ("Hi", long, f"{long}and more")]
    alone = [text_of(ask(process, wanted)) for wanted in bodies]

    for _ in range(20):
        answers = await ask_all(process, bodies)
        assert [r.status_code for r in answers] == [200] * 3
        assert [text_of(r.json()) for r in answers] == alone

    assert "Traceback" not in process.log


SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "reason": {"enum": ["physics", "other"]}},
    "required": ["ok", "reason"],
    "additionalProperties": False,
}
AS_SCHEMA = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA, "strict": True}}


def fits(text):
    value = json.loads(text)
    return value.keys() == {"ok", "reason"} and isinstance(value["ok"], bool)


@pytest.mark.parametrize(
    ("fields", "valid"),
    [
        ({"response_format": AS_SCHEMA}, fits),
        ({"structured_outputs": SCHEMA}, fits),
        ({"response_format": {"type": "json_object"}}, lambda text: json.loads(text) is not None),
        ({"guided_choice": ["yes", "no"]}, {"yes", "no"}.__contains__),
        ({"guided_regex": "[0-9]{4}"}, re.compile("[0-9]{4}").fullmatch),
        ({"guided_grammar": 'root ::= "a" "b"*'}, re.compile("ab*").fullmatch),
    ],
)
async def test_random_weights_answer_what_the_constraint_allows(process, fields, valid):
    """Public case so-07: only masking can make random weights do so."""
    hot = body("Is the sky blue?", temperature=1.5, max_tokens=200, **fields)
    noise = body("hi", max_tokens=60)

    answers = await ask_all(process, [hot, noise, hot, noise, hot])

    for response in answers[::2]:
        assert response.status_code == 200 and "warning" not in response.headers
        [choice] = response.json()["choices"]
        if choice["finish_reason"] == "length":
            continue  # random weights may go on for ever where the constraint lets them
        assert choice["finish_reason"] == "stop"
        assert valid(choice["message"]["content"])
    assert [text_of(r.json()) for r in answers[1::2]] == [text_of(ask(process, noise))] * 2


def test_a_stream_of_a_constrained_answer_joins_to_a_valid_one(process):
    compact = {"json_schema": {**AS_SCHEMA["json_schema"], "any_whitespace": False}}
    form = {**AS_SCHEMA, **compact}
    wanted = body("hi", temperature=1.5, stream=True, response_format=form, max_tokens=200)
    with httpx.stream("POST", f"{process.url}{PATH}", json=wanted, timeout=60) as response:
        lines = [line[6:] for line in response.iter_lines() if line.startswith("data: {")]

    chunks = [json.loads(line)["choices"][0] for line in lines]
    assert fits("".join(chunk["delta"].get("content") or "" for chunk in chunks))
    assert chunks[-1]["finish_reason"] == "stop"


def test_a_required_call_is_made_by_random_weights(process):
    parameters = {"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}}}
    parameters |= {"required": ["city"], "additionalProperties": False}
    tool = {"type": "function", "function": {"name": "weather", "parameters": parameters}}
    wanted = body("hi", temperature=1.5, tools=[tool], tool_choice="required", max_tokens=200)

    [choice] = ask(process, wanted)["choices"]

    [call] = choice["message"]["tool_calls"]
    assert choice["finish_reason"] == "tool_calls"
    assert json.loads(call["function"]["arguments"])["city"] in ("Oslo", "Rome")


def test_a_constraint_that_cannot_be_enforced_is_announced(process):
    wanted = body("hi", max_tokens=3, guided_grammar="root ::= (")

    response = httpx.post(f"{process.url}{PATH}", json=wanted, timeout=60)

    assert response.status_code == 200
    assert response.headers["warning"].startswith("grammar not enforced: ")


def test_a_tone_curve_is_drawn_alone(process):
    answer = ask(process, body("hi", temperature=1.0, hlg={"enabled": True}, max_tokens=5))

    assert answer["usage"]["lane"] == "serial"
