"""A service that rests while others need the machine."""

import asyncio

import pytest

from inference.errors import EngineNotRunning
from inference.events import Finished, Idle, Started, collect
from inference.request import GenerationRequest, TextPrompt

PATIENCE = 5.0


async def answer(service, text="hi"):
    async with await service.generate(GenerationRequest(text, TextPrompt(text))) as generation:
        return (await collect(generation)).text


async def test_no_answer_is_generated_while_the_service_is_held(make_service):
    service = make_service("Hello")

    async with service.hold():
        waiting = asyncio.create_task(answer(service))
        await asyncio.sleep(0.05)
        was_done = waiting.done()

    assert not was_done
    assert await asyncio.wait_for(waiting, PATIENCE) == "Hello"


async def test_a_service_that_is_held_is_not_idle(make_service):
    service = make_service()

    async with service.hold():
        assert not service.is_idle

    assert service.is_idle


async def test_who_gives_up_waiting_for_a_hold_leaves_nothing_behind(make_service):
    service = make_service("Hello")

    async def hold():
        async with service.hold():
            pytest.fail("it was held already")

    async with service.hold():
        second = asyncio.create_task(hold())
        await asyncio.sleep(0.02)
        second.cancel()
        await asyncio.wait([second])

    assert service.is_idle
    assert await answer(service) == "Hello"


async def test_a_hold_that_comes_too_late_gets_the_next_service(make_service):
    old, new = make_service("old"), make_service("new")
    old.door.close()

    async def hold():
        async with old.hold():
            return old.is_idle, new.is_idle

    held = asyncio.create_task(hold())
    await asyncio.sleep(0.02)
    old.door.open_to(new)

    assert await asyncio.wait_for(held, PATIENCE) == (True, False)


async def test_a_service_that_has_ended_cannot_be_held(make_service):
    service = make_service()
    service.close()

    with pytest.raises(EngineNotRunning):
        async with service.hold():
            pytest.fail("nobody was there to grant it")


async def test_a_stream_that_waits_for_the_end_of_a_hold_gives_signs_of_life(make_service):
    service = make_service("Hello")
    async with service.hold():
        generation = await service.generate(GenerationRequest("b", TextPrompt("hi")))
        events = aiter(generation)
        started = await asyncio.wait_for(anext(events), PATIENCE)
        asyncio.get_running_loop().call_later(0.02, generation.nudge)
        waiting = await asyncio.wait_for(anext(events), PATIENCE)
    async with generation:
        rest = [event async for event in events]

    assert (type(started), waiting, type(rest[-1])) == (Started, Idle(), Finished)
