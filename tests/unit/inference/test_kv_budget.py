"""A budget of keys and values bounds those who run together, and refuses who cannot run alone."""

import asyncio

import pytest

from hub.kv_cost import KvCost
from inference.engine.scripted import ScriptedRunner
from inference.errors import ContextOverBudget, KvOverBudget
from inference.events import FinishReason, collect
from inference.request import ChatPrompt, GenerationRequest, TextPrompt

A_GB_A_TOKEN = KvCost(full=1e9)
PROMPT = "x" * 10


def make_runner(**more):
    return ScriptedRunner(lambda sequence: [*b"Hello"], kv_cost=A_GB_A_TOKEN, **more)


def request(*, id="a", prompt=PROMPT, max_tokens=None):
    return GenerationRequest(id=id, prompt=TextPrompt(prompt), max_tokens=max_tokens)


async def answer(service, asked):
    async with await service.generate(asked) as generation:
        return await collect(generation)


async def test_whoever_fits_alone_is_served(make_service):
    service = make_service(runner=make_runner(), kv_budget_bytes=30 * 10**9)

    completion = await answer(service, request(max_tokens=20))

    assert completion.reason is FinishReason.LENGTH


async def test_an_answer_that_could_outgrow_the_budget_is_refused_with_the_way_out(make_service):
    service = make_service(runner=make_runner(), kv_budget_bytes=30 * 10**9)

    with pytest.raises(KvOverBudget) as refused:
        await service.generate(request(max_tokens=21))

    assert refused.value.param == "max_tokens"
    assert refused.value.message == (
        "prompt is 10 tokens and the answer may take 21 more, whose keys and values come to "
        "31 GB, but the KV budget is 30 GB; ask for at most 20 tokens, shorten the prompt or "
        "raise --kv-budget"
    )
    assert service.stats().submitted == 0


async def test_a_request_without_a_limit_counts_with_all_the_room_of_the_context(make_service):
    service = make_service(runner=make_runner(), max_context=40, kv_budget_bytes=30 * 10**9)

    with pytest.raises(KvOverBudget, match="the answer may take 30 more"):
        await service.generate(request())


async def test_the_operators_limit_counts_for_requests_that_name_none(make_service):
    service = make_service(runner=make_runner(), max_tokens=5, kv_budget_bytes=30 * 10**9)

    assert (await answer(service, request())).reason is FinishReason.LENGTH


async def test_a_prompt_that_leaves_no_room_is_too_long(make_service):
    service = make_service(runner=make_runner(), kv_budget_bytes=10 * 10**9)

    with pytest.raises(ContextOverBudget) as refused:
        await service.generate(request(max_tokens=1))

    assert refused.value.message == (
        "prompt is 10 tokens but the KV budget of 10 GB holds 10 — no room to generate; shorten "
        "the prompt or raise --kv-budget"
    )
    assert (refused.value.prompt_tokens, refused.value.limit) == (10, 9)


async def test_those_beyond_the_budget_wait_in_order_and_all_finish(make_service, gate):
    most = []
    runner = make_runner(on_step=lambda plan: (gate.hold(plan), most.append(len(plan.decodes))))
    service = make_service(runner=runner, kv_budget_bytes=45 * 10**9)
    generations = [await service.generate(request(id=str(n), max_tokens=5)) for n in range(12)]

    gate.open()
    completions = await asyncio.gather(*map(collect, generations))

    assert {completion.reason for completion in completions} == {FinishReason.LENGTH}
    assert max(most) == 3  # of 15 GB each
    assert service.stats().kv_bytes == 0


async def test_the_statistics_tell_what_those_who_run_can_come_to(make_service, gate):
    steps = []

    def hold_the_second(plan):
        if steps:
            gate.hold(plan)
        steps.append(plan)

    service = make_service(runner=make_runner(on_step=hold_the_second), kv_budget_bytes=10**11)
    generation = await service.generate(request(max_tokens=5))
    async with asyncio.timeout(10):
        while not service.stats().kv_bytes:
            await asyncio.sleep(0.001)

    assert service.stats().kv_bytes == 15 * 10**9
    assert service.kv_budget_bytes == 10**11
    gate.open()
    await collect(generation)


async def test_a_chat_is_told_to_shorten_its_messages(make_service):
    service = make_service(runner=make_runner(), kv_budget_bytes=1)

    with pytest.raises(ContextOverBudget) as refused:
        await service.generate(GenerationRequest(id="a", prompt=ChatPrompt(()), max_tokens=1))

    assert refused.value.param == "messages"
