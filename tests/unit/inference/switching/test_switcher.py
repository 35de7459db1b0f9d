"""One model in the place of another, over scripted services."""

import asyncio

import pytest

from hub.errors import AmbiguousModel, BrokenModel, ModelNotFound
from inference.errors import EngineNotRunning, QueueFull
from inference.events import collect
from inference.messages import Message, Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from inference.switching.errors import SwitchRefused, SwitchUnderWay
from inference.switching.status import SwitchState
from tests.plugins.scripted_engine import eventually
from tests.plugins.scripted_models import local_model

LIMIT = 3  # requests that may wait


def request(name="r"):
    return GenerationRequest(name, ChatPrompt((Message(Role.USER, "hi"),)), SamplingChoice())


async def ask(service, name="r"):
    async with await service.generate(request(name)) as generation:
        return generation.model_id, (await collect(generation)).text


@pytest.fixture(params=[True, False], ids=["side by side", "one after the other"])
def server(request, make_switchable):
    server = make_switchable("org/old", "org/new", "org/other")
    server.models.room = request.param
    return server


async def switch(server, name="org/new"):
    server.switcher.begin(name)
    return await server.finish()


async def test_the_target_is_served_in_the_end(server):
    began = server.switcher.begin("new")
    ended = await server.finish()

    assert (began.target, began.progress) == ("org/new", None)
    assert (ended.state, ended.target, ended.progress) == (SwitchState.READY, "org/new", 1.0)
    assert (ended.message, ended.error) == ("org/new is served", None)
    assert await ask(server.service) == ("org/new", "org/new")
    assert server.models.num_forgotten == 1


@pytest.mark.parametrize("room", [True, False])
async def test_an_answer_under_way_is_finished_by_the_old_model(make_switchable, step_gate, room):
    step_gate.hold = lambda plan: bool(plan.decodes)
    server = make_switchable("org/old", "org/new", runner={"on_step": step_gate})
    server.models.room = room
    old = server.service
    generation = await old.generate(request())
    await step_gate.wait()

    server.switcher.begin("org/new")
    await eventually(lambda: server.status.state is SwitchState.DRAINING)
    told = server.status.message
    step_gate.open()
    async with generation:
        text = (await collect(generation)).text
    await server.finish()

    assert (told, generation.model_id, text) == ("finishing 1 answer", "org/old", "org/old")
    assert not old._engine.is_alive


async def test_the_old_service_leads_to_the_new_one(server):
    old = server.service
    await switch(server)

    assert await ask(old) == ("org/new", "org/new")


async def test_progress_is_told_while_weights_are_loaded(server):
    server.models.held.clear()
    server.switcher.begin("org/new")
    await asyncio.to_thread(server.models.reached.wait, 5)

    status = server.status
    server.models.held.set()

    assert (status.state, status.progress) == (SwitchState.LOADING, 0.0)
    assert status.message == "loading: 0.0 of 1.0 GB"
    assert (await server.finish()).progress == 1.0


async def test_requests_are_answered_while_weights_are_loaded(server):
    server.models.held.clear()
    server.switcher.begin("org/new")
    await asyncio.to_thread(server.models.reached.wait, 5)

    task = asyncio.create_task(ask(server.service))
    if server.models.room:
        assert await task == ("org/old", "org/old")
    else:
        await eventually(lambda: server.service.door.num_waiting == 1)
    alive = server.service.is_alive
    server.models.held.set()

    assert alive
    assert await task == (("org/old",) * 2 if server.models.room else ("org/new",) * 2)


async def test_a_line_that_is_full_at_the_switch_is_served_and_no_more_is_let_in(
    make_switchable,
):
    server = make_switchable("org/old", "org/new", max_waiting=LIMIT, max_running=1)
    server.models.room = False
    server.models.held.clear()
    server.switcher.begin("org/new")
    await asyncio.to_thread(server.models.reached.wait, 5)
    tasks = [asyncio.create_task(ask(server.service, f"r{n}")) for n in range(LIMIT)]
    await eventually(lambda: server.service.door.num_waiting == LIMIT)

    with pytest.raises(QueueFull):
        await ask(server.service, "one more")

    server.models.held.set()
    assert await asyncio.gather(*tasks) == [("org/new", "org/new")] * LIMIT


@pytest.mark.parametrize("stage", ["broken", "faults"])
async def test_a_target_that_cannot_be_loaded_leaves_the_old_model(server, stage):
    getattr(server.models, stage)["org/new"] = ValueError("Missing 3 parameters:\nmodel.a,\nb")

    ended = await switch(server)

    kept = stage == "broken" or server.models.room
    outcome = f"org/old is {'still served' if kept else 'served again'}"
    assert (ended.state, ended.message) == (SwitchState.FAILED, outcome)
    assert ended.error == (
        "org/new could not be loaded: ValueError: Missing 3 parameters: model.a, b; " + outcome
    )
    assert await ask(server.service) == ("org/old", "org/old")
    assert (await switch(server, "org/other")).state is SwitchState.READY


async def test_requests_that_wait_for_a_model_that_fails_go_to_the_old_one(make_switchable):
    server = make_switchable("org/old", "org/new")
    server.models.room = False
    server.models.faults["org/new"] = ValueError("bad")
    server.models.held.clear()
    server.switcher.begin("org/new")
    await asyncio.to_thread(server.models.reached.wait, 5)
    task = asyncio.create_task(ask(server.service))
    await eventually(lambda: server.service.door.num_waiting == 1)

    server.models.held.set()

    assert await task == ("org/old", "org/old")


async def test_when_no_model_can_be_had_that_is_told_and_another_can_be_tried(make_switchable):
    server = make_switchable("org/old", "org/new", "org/other")
    server.models.room = False
    server.models.faults = {"org/new": ValueError("bad"), "org/old": OSError("gone")}

    ended = await switch(server)

    assert ended.error.endswith(
        "org/old could not be loaded again (OSError: gone), so no model is served"
    )
    assert not server.service.is_alive
    with pytest.raises(EngineNotRunning, match="so no model is served"):
        await ask(server.service)
    assert (await switch(server, "org/other")).state is SwitchState.READY
    assert await ask(server.service) == ("org/other", "org/other")


async def test_a_way_back_must_be_there_before_anything_is_changed(server):
    server.models.missing.add("org/old")

    with pytest.raises(BrokenModel, match="org/old has no config"):
        server.switcher.begin("org/new")

    assert server.status.state is SwitchState.IDLE
    server.models.missing.clear()
    assert (await switch(server)).state is SwitchState.READY


async def test_from_an_engine_that_has_ended_there_is_no_way_back_to_look_for(server):
    server.models.missing.add("org/old")
    server.service._engine.stop()

    status = await switch(server)

    assert (status.state, status.target) == (SwitchState.READY, "org/new")
    assert await ask(server.service) == ("org/new", "org/new")


async def test_both_models_are_kept_until_a_switch_has_ended(server):
    server.models.held.clear()
    server.switcher.begin("org/new")
    meanwhile = list(server.models.kept)
    server.models.held.set()
    await server.finish()
    after = list(server.models.kept)
    server.models.faults["org/other"] = MemoryError()
    await switch(server, "org/other")

    assert meanwhile == [["org/old", "org/new"]]
    assert after[1:] == [["org/new"]]
    assert server.models.kept[2:] == [["org/new", "org/other"], ["org/new"]]


async def test_a_second_switch_has_to_wait_for_the_first(server):
    server.models.held.clear()
    server.switcher.begin("org/new")

    with pytest.raises(SwitchUnderWay, match="a switch to org/new is under way"):
        server.switcher.begin("org/other")

    server.models.held.set()
    assert (await server.finish()).target == "org/new"


async def test_who_has_the_machine_is_not_disturbed(server):
    async with server.switcher.hold():
        with pytest.raises(SwitchUnderWay, match="a job has the machine"):
            server.switcher.begin("org/new")

    assert (await switch(server)).state is SwitchState.READY


async def test_who_has_the_machine_without_an_engine_is_not_disturbed_either(server):
    server.service._engine.stop()

    async with server.switcher.hold():
        with pytest.raises(SwitchUnderWay, match="a job has the machine"):
            server.switcher.begin("org/new")

    assert (await switch(server)).state is SwitchState.READY


async def test_who_wants_the_machine_waits_for_the_switch_and_holds_the_new_model(server):
    server.models.held.clear()
    server.switcher.begin("org/new")
    held = asyncio.Event()

    async def hold():
        async with server.switcher.hold():
            held.set()
            await asyncio.Event().wait()

    holding = asyncio.create_task(hold())
    await asyncio.sleep(0.1)
    was_held = held.is_set()
    server.models.held.set()
    await asyncio.wait_for(held.wait(), 5)
    answer = asyncio.create_task(ask(server.service))
    await asyncio.sleep(0.05)

    assert (was_held, answer.done()) == (False, False)
    holding.cancel()
    assert await answer == ("org/new", "org/new")


async def test_holders_take_turns_and_one_who_gives_up_holds_nobody_up(server):
    async def hold():
        async with server.switcher.hold():
            pytest.fail("it was held already")

    async with server.switcher.hold():
        second = asyncio.create_task(hold())
        await asyncio.sleep(0.1)
        second.cancel()
        await asyncio.wait([second])

    assert await ask(server.service) == ("org/old", "org/old")


@pytest.mark.parametrize(
    ("name", "error"), [("nothing", ModelNotFound), ("org", AmbiguousModel), ("", AmbiguousModel)]
)
def test_a_name_is_read_as_the_registry_reads_it(server, name, error):
    with pytest.raises(error):
        server.switcher.begin(name)

    assert server.status.state is SwitchState.IDLE


async def test_the_served_model_is_not_loaded_again(server):
    service = server.service

    status = server.switcher.begin("org/old")

    assert (status.state, status.message) == (SwitchState.READY, "org/old is served already")
    assert server.service is service


async def test_the_same_model_with_other_files_is_loaded(server):
    service = server.service
    server.models.listed[0] = local_model("org/old", snapshot="2")

    assert (await switch(server, "org/old")).state is SwitchState.READY
    assert server.service is not service


async def test_switching_goes_on_and_on(server):
    for name in ["org/new", "org/other", "org/old"] * 3:
        assert (await switch(server, name)).state is SwitchState.READY
        assert await ask(server.service) == (name, name)


async def test_a_server_that_stops_gives_up_loading(server):
    server.models.held.clear()
    old = server.service
    server.switcher.begin("org/new")
    await asyncio.to_thread(server.models.reached.wait, 5)

    stop = asyncio.create_task(asyncio.to_thread(server.switcher.stop))
    await eventually(server.switcher._stopping.is_set)
    server.models.held.set()
    await stop

    assert server.status.error.endswith("the server is shutting down")
    assert server.service is old
    with pytest.raises(EngineNotRunning, match="shutting down"):
        await ask(old)
    with pytest.raises(SwitchRefused, match="shutting down"):
        server.switcher.begin("org/new")


@pytest.mark.parametrize(("room", "served"), [(True, "org/new"), (False, "org/old")])
async def test_a_server_that_stops_does_not_wait_for_answers(make_switchable, room, served):
    endless = {"script": lambda sequence: b"x", "step_seconds": 0.01}
    server = make_switchable("org/old", "org/new", runner=endless)
    server.models.room = room
    generation = await server.service.generate(request())
    server.switcher.begin("org/new")
    await eventually(lambda: server.status.state is SwitchState.DRAINING)

    await asyncio.to_thread(server.switcher.stop)

    generation.close()
    assert server.status.state is (SwitchState.READY if room else SwitchState.FAILED)
    assert server.service.model.model_id == served
