"""Live switches between tiny random models, with everything that a server has but the web."""

import asyncio
import gc
import itertools
import json
import os
import shutil
import threading
from pathlib import Path

import mlx.core as mx
import pytest

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.errors import BrokenModel
from hub.gc.execute import execute
from hub.registry import scan
from inference import runtime
from inference.engine.load_watch import LoadWatch
from inference.events import Finished, FinishReason, collect
from inference.messages import Message, Role
from inference.options import ServeOptions
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from inference.switching.errors import SwitchRefused
from inference.switching.models import LocalModels
from inference.switching.status import SwitchState
from tests.plugins.five_models import CASES
from tests.plugins.scripted_engine import eventually

ONE, OTHER = "tiny/llama", "tiny/hybrid"
USABLE = 4.0  # GB
SWITCHES = int(os.environ.get("TEST_SWITCHES", "6"))


@pytest.fixture
def hub(tmp_path, tiny_checkpoint):
    config = HubConfig(tmp_path / "models", tmp_path / "hf")
    for name in (ONE, OTHER):
        shutil.copytree(tiny_checkpoint(name.partition("/")[2]), config.models_dir / name)
    return config


@pytest.fixture
def start(hub, monkeypatch):
    """Serve the first model, and say whether there is room for the other beside it."""

    def start(room):
        service = runtime.start(ServeOptions(model=ONE, memory_budget=USABLE), hub)
        monkeypatch.setattr(LocalModels, "has_room", lambda *models: room)
        return service

    yield start
    runtime.stop()


both_ways = pytest.mark.parametrize("room", [True, False], ids=["side by side", "one by one"])


_numbers = itertools.count()


def request(max_tokens=12):
    prompt = ChatPrompt((Message(Role.USER, "Tell of it."),))
    name = f"r{next(_numbers)}"
    return GenerationRequest(name, prompt, SamplingChoice(temperature=0), max_tokens=max_tokens)


async def ask(max_tokens=12):
    async with await runtime.get_service().generate(request(max_tokens)) as generation:
        return generation.model_id, (await collect(generation)).text


async def switch(name):
    await asyncio.to_thread(runtime.get_switcher().begin, name)
    return await ended()


async def ended():
    ends = (SwitchState.READY, SwitchState.FAILED)
    await eventually(lambda: runtime.get_switcher().status().state in ends)
    return runtime.get_switcher().status()


@both_ways
async def test_every_answer_is_one_model_s_alone_while_models_are_switched(start, room):
    start(room)
    expected = {ONE: await ask()}
    await switch(OTHER)
    expected[OTHER] = await ask()
    await switch(ONE)
    assert expected[ONE] != expected[OTHER]
    answers, going = [], True

    async def keep_asking():
        while going:
            answers.append(await ask())

    clients = [asyncio.create_task(keep_asking()) for _ in range(6)]
    for name in (OTHER, ONE):
        await asyncio.sleep(0.1)
        assert (await switch(name)).state is SwitchState.READY
    going = False
    await asyncio.gather(*clients)

    assert {answer[0] for answer in answers} == {ONE, OTHER}
    assert all(answer == expected[answer[0]] for answer in answers)
    assert (await ask())[0] == ONE


@both_ways
async def test_a_long_answer_is_finished_by_the_model_that_began_it(start, room):
    start(room)
    generation = await runtime.get_service().generate(request(max_tokens=300))

    await asyncio.to_thread(runtime.get_switcher().begin, OTHER)
    async with generation:
        events = [event async for event in generation]

    assert isinstance(events[-1], Finished)
    assert events[-1].reason in (FinishReason.STOP, FinishReason.LENGTH)
    assert (generation.model_id, (await ended()).state) == (ONE, SwitchState.READY)


def rewrite(folder: Path, change) -> None:
    """Write the weights of a model anew, without or with other tensors."""
    file = folder / "model.safetensors"
    weights = dict(mx.load(str(file)))
    change(weights)
    mx.eval(weights)
    mx.save_safetensors(str(file), weights, metadata={"format": "mlx"})


def lose_a_tensor(folder):
    rewrite(folder, lambda weights: weights.pop("model.norm.weight"))


def change_a_shape(folder):
    rewrite(folder, lambda weights: weights.update({"model.norm.weight": mx.ones((3,))}))


def lose_the_tokenizer(folder):
    (folder / "tokenizer.json").unlink()


def break_the_tokenizer(folder):
    (folder / "tokenizer.json").write_text("{")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lose_a_tensor, "Missing 1 parameters: model.norm.weight"),
        (change_a_shape, "shape"),
        (lose_the_tokenizer, "tokenizer"),
        (break_the_tokenizer, ""),
    ],
)
async def test_a_checkpoint_that_does_not_open_leaves_the_served_model_in_peace(
    start, hub, damage, reason
):
    service = start(room=False)
    damage(hub.models_dir / OTHER)

    status = await switch(OTHER)

    assert status.state is SwitchState.FAILED
    assert status.error.endswith(f"{ONE} is still served") and reason in status.error
    assert runtime.get_service() is service
    assert (await ask())[0] == ONE


def fail_once(error):
    errors = [error]

    def run(model):
        if errors:
            raise errors.pop()

    return run


async def test_a_model_that_fails_once_the_old_one_is_gone_brings_it_back(start, monkeypatch):
    service = start(room=False)
    before = await ask()
    monkeypatch.setattr("inference.engine.loader._warm_up", fail_once(MemoryError("no room")))

    status = await switch(OTHER)

    assert status.error == (
        f"{OTHER} could not be loaded: MemoryError: no room; {ONE} is served again"
    )
    assert runtime.get_service() is not service
    assert await ask() == before


def cut(folder):
    file = folder / "model.safetensors"
    os.truncate(file, file.stat().st_size // 2)


def scramble(folder):
    (folder / "model.safetensors").write_bytes(b"\xff" * 1000)


def lose_the_weights(folder):
    (folder / "model.safetensors").unlink()


def change_the_type(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "unheard_of"}))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (cut, "model.safetensors"),
        (scramble, "model.safetensors"),
        (lose_the_weights, "model"),
        (change_the_type, "unheard_of"),
    ],
)
async def test_what_can_be_seen_from_outside_is_refused_at_once(start, hub, damage, reason):
    start(room=True)
    damage(hub.models_dir / OTHER)

    with pytest.raises(BrokenModel, match=f"{OTHER} cannot be served: .*{reason}"):
        runtime.get_switcher().begin(OTHER)

    assert runtime.get_switcher().status().state is SwitchState.IDLE


async def test_a_model_that_is_too_large_is_refused_at_once(start, hub):
    start(room=True)
    CASES["dense"].write(hub.models_dir / "org" / "large")

    with pytest.raises(SwitchRefused, match=r"org/large is too large: .* 4\.0 GB are usable"):
        runtime.get_switcher().begin("large")


async def test_there_is_room_for_both_up_to_the_usable_memory(hub):
    one, other = sorted(scan(hub).models, key=lambda model: model.repo_id != ONE)
    models = LocalModels(ServeOptions(model=ONE, memory_budget=USABLE), hub, one)

    fits = [models.has_room(other, size * 10**9, one) for size in (1, 2, 3, 4)]

    assert fits == [True, True, False, False]


async def test_the_operator_s_adapter_is_mounted_on_the_first_model_alone(hub, monkeypatch):
    loaded = []
    monkeypatch.setattr(
        "inference.switching.models.load_service",
        lambda model, options, watch, adapter: loaded.append((model.repo_id, adapter)),
    )
    one, other = sorted(scan(hub).models, key=lambda model: model.repo_id != ONE)
    models = LocalModels(ServeOptions(model=ONE, adapter="my-adapter"), hub, one)

    models.load(other, LoadWatch())
    models.load(one, LoadWatch())

    assert loaded == [(OTHER, None), (ONE, "my-adapter")]


async def test_a_model_from_elsewhere_can_be_switched_back_to(hub, tmp_path, tiny_checkpoint):
    shutil.copytree(tiny_checkpoint("llama"), tmp_path / "elsewhere" / "mine")
    options = ServeOptions(model=str(tmp_path / "elsewhere" / "mine"), memory_budget=USABLE)
    name = runtime.start(options, hub).model.model_id
    try:
        await switch(OTHER)
        status = await switch(name)
    finally:
        runtime.stop()

    assert (status.state, status.target) == (SwitchState.READY, name)


async def test_the_served_snapshot_outlives_its_ref(hub, tiny_checkpoint):
    """A newer revision has come and disk space is reclaimed: the old one is still served."""
    repo = CachedRepo.of(hub, "tiny/cached")
    for commit in ("old", "new"):
        shutil.copytree(tiny_checkpoint("llama"), repo.snapshots / commit)
    repo.write_ref("main", "old")
    runtime.start(ServeOptions(model="tiny/cached", memory_budget=USABLE), hub)
    try:
        repo.write_ref("main", "new")
        execute(hub)
        kept = sorted(place.name for place in repo.snapshots.iterdir())
        there = await switch(OTHER)
        execute(hub)
    finally:
        runtime.stop()

    assert (kept, there.state) == (["new", "old"], SwitchState.READY)
    assert [place.name for place in repo.snapshots.iterdir()] == ["new"]


@pytest.fixture
def exact_sizes():
    """Have MLX take each array's bytes anew: a freed buffer it reuses may be larger than asked."""
    mx.clear_cache()
    before = mx.set_cache_limit(0)
    yield
    mx.set_cache_limit(before)


@both_ways
async def test_memory_and_threads_return_after_many_switches(start, room, exact_sizes):
    start(room)
    figures = []

    for number in range(SWITCHES):
        await ask(max_tokens=3)
        assert (await switch((OTHER, ONE)[number % 2])).state is SwitchState.READY
        if number % 2:
            gc.collect()
            figures.append((mx.get_active_memory(), threading.active_count()))

    assert set(figures[1:]) == {figures[1]}
