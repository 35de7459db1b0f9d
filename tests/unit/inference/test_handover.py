"""Requests that arrive while one model takes the place of another."""

import asyncio
import threading

import pytest

from inference.embedding import EmbeddingRequest
from inference.errors import EngineNotRunning, QueueFull
from inference.events import Failed, collect
from inference.handover import Door
from inference.messages import Message, Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from inference.text.byte_tokenizer import END_OF_TURN
from tests.plugins.scripted_embedder import ScriptedEmbedder
from tests.plugins.scripted_engine import StepGate, eventually, make_runner

PROMPT = ChatPrompt((Message(Role.USER, "hi"),))


def request(name="r"):
    return GenerationRequest(name, PROMPT, SamplingChoice())


async def ask(service, name="r"):
    async with await service.generate(request(name)) as generation:
        return (await collect(generation)).text


async def waiting(service, count=1):
    await eventually(lambda: service.door.num_waiting == count)


async def test_who_comes_after_the_door_closed_is_served_by_the_successor(make_service):
    old, new = make_service("old"), make_service("new")
    assert await ask(old) == "old"

    old.door.close()
    late = asyncio.create_task(ask(old))
    await waiting(old)
    old.door.open_to(new)

    assert await late == "new"
    assert await ask(old) == "new"


async def test_who_is_inside_already_is_served_to_the_end(make_service, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    answer = [*b"old", END_OF_TURN]
    old = make_service(runner=make_runner(answer, on_step=step_gate))
    early = asyncio.create_task(ask(old))
    await step_gate.wait()

    old.door.open_to(make_service("new"))
    was_idle = old.is_idle
    step_gate.open()

    assert (was_idle, await early) == (False, "old")
    await eventually(lambda: old.is_idle)


async def test_every_kind_of_request_is_handed_over(make_service):
    old, new = make_service("old"), make_service("new", embedder=ScriptedEmbedder())
    old.door.open_to(new)

    assert await old.count_tokens(PROMPT) == await new.count_tokens(PROMPT)
    assert len((await old.embed(EmbeddingRequest(("a", "b")))).vectors) == 2


async def test_a_service_that_was_replaced_twice_leads_to_the_last(make_service):
    first, second, third = (make_service(answer) for answer in ("1", "2", "3"))
    first.door.open_to(second)
    second.door.open_to(third)

    assert await ask(first) == "3"


async def test_no_more_may_wait_than_in_the_engine_s_own_line(make_service):
    old = make_service(max_waiting=2)
    old.door.close()
    tasks = [asyncio.create_task(ask(old, name)) for name in ("one", "two")]
    await waiting(old, 2)

    with pytest.raises(QueueFull, match="the limit is 2; try again"):
        await ask(old)

    old.door.open_to(make_service("new"))
    assert await asyncio.gather(*tasks) == ["new", "new"]


async def test_who_leaves_while_waiting_gives_up_the_place(make_service):
    old = make_service(max_waiting=1)
    old.door.close()
    task = asyncio.create_task(ask(old))
    await waiting(old)

    task.cancel()

    await waiting(old, 0)
    assert old.is_idle


async def test_without_a_successor_those_who_wait_are_told(make_service):
    old = make_service()
    old.door.close()
    alive = old.is_alive
    task = asyncio.create_task(ask(old))
    await waiting(old)

    old.close()
    was_alive = old.is_alive
    old.door.open_to(EngineNotRunning("no model could be loaded"))

    with pytest.raises(EngineNotRunning, match="no model could be loaded"):
        await task
    assert (alive, was_alive, old.is_alive) == (True, True, False)


async def test_the_successor_is_told_from_another_thread(make_service):
    old, new = make_service("old"), make_service("new")
    old.door.close()
    task = asyncio.create_task(ask(old))
    await waiting(old)

    threading.Thread(target=old.door.open_to, args=(new,)).start()

    assert await task == "new"


def test_those_whose_loop_has_closed_are_forgotten():
    door = Door[str](1)
    door.close()
    loop = asyncio.new_event_loop()
    task = loop.create_task(door.successor())
    loop.run_until_complete(asyncio.sleep(0))
    assert door.num_waiting == 1
    task.cancel()
    loop.close()

    door.open_to("new")

    assert door.num_waiting == 0


async def test_a_service_that_is_closed_fails_what_runs(make_service):
    gate = StepGate()
    gate.hold = lambda plan: bool(plan.decodes)
    runner = make_runner([ord("a")] * 10**6, on_step=gate)  # longer than any pause before close
    service = make_service(runner=runner, max_context=10**7, context_window=10**7)
    generation = await service.generate(request())
    await gate.wait()
    gate.open()

    assert await asyncio.to_thread(service.close)

    async with generation:
        assert isinstance([event async for event in generation][-1], Failed)
