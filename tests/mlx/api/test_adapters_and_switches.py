"""Adapters belong to one loaded model: a switch leaves none, and frees what they held."""

import asyncio
import gc
import shutil

import mlx.core as mx
import pytest

from hub.config import HubConfig
from inference import runtime
from inference.adapters.target import LayerKind
from inference.engine.adapters.targets import find_targets
from inference.errors import InvalidRequest
from inference.events import collect
from inference.options import ServeOptions
from inference.request import GenerationRequest, SamplingChoice, TextPrompt
from inference.switching.status import SwitchState
from tests.plugins.adapters import write_adapter
from tests.plugins.scripted_engine import eventually

RANK = 512  # so that an adapter takes more than anything else here


@pytest.fixture
def start(tmp_path, tiny_checkpoint, tiny_model):
    hub = HubConfig(tmp_path / "models", tmp_path / "hf")
    for name in ("llama", "qwen3"):
        shutil.copytree(tiny_checkpoint(name), hub.models_dir / "tiny" / name)
    targets = find_targets(tiny_model("llama").model)
    linear = {p: t for p, t in targets.items() if t.kind is LayerKind.LINEAR}
    adapter = write_adapter(tmp_path / "pirate", linear, rank=RANK)

    def start():
        shared = {"model": "tiny/llama", "memory_budget": 4.0, "adapter": str(adapter)}
        return runtime.start(ServeOptions(**shared), hub)

    yield start
    runtime.stop()


async def ask(adapter=None):
    sampling = SamplingChoice(temperature=0)
    request = GenerationRequest("r", TextPrompt("Once"), sampling, 12, adapter=adapter)
    async with await runtime.get_service().generate(request) as generation:
        return (await collect(generation)).text


async def switch(name):
    switcher = runtime.get_switcher()
    await asyncio.to_thread(switcher.begin, name)
    ends = (SwitchState.READY, SwitchState.FAILED)
    await eventually(lambda: switcher.status().state in ends)
    assert switcher.status().state is SwitchState.READY


async def test_after_a_switch_none_is_mounted_and_what_they_held_is_free(start, tmp_path):
    start()
    assert await ask() != await ask(())
    await switch("tiny/qwen3")
    assert runtime.get_service().adapters.mounted == []
    assert await ask() == await ask(())
    with pytest.raises(InvalidRequest, match="unknown adapter 'pirate'"):
        await ask(("pirate",))
    gc.collect()
    before = mx.get_active_memory()

    mounted = await runtime.get_service().mount_adapter("other", str(tmp_path / "pirate"))
    assert await ask(("other",)) != await ask(())
    await switch("tiny/llama")
    assert [adapter.id for adapter in runtime.get_service().adapters.mounted] == ["pirate"]
    await switch("tiny/qwen3")
    assert await ask() == await ask(())
    gc.collect()

    assert mx.get_active_memory() - before < mounted.ram_bytes / 4


async def test_the_first_model_comes_back_with_its_adapter_or_without_if_that_is_gone(
    start, tmp_path
):
    start()
    with_adapter = await ask()
    await switch("tiny/qwen3")
    await switch("tiny/llama")
    assert await ask() == with_adapter

    await switch("tiny/qwen3")
    shutil.rmtree(tmp_path / "pirate")
    await switch("tiny/llama")

    assert await ask() == await ask(()) != with_adapter


async def test_a_mount_that_comes_during_a_switch_is_for_the_model_that_comes(start, tmp_path):
    service = start()
    switching = asyncio.create_task(switch("tiny/qwen3"))
    await eventually(lambda: service.door.awaits_successor or runtime.get_service() is not service)

    await service.mount_adapter("pirate", str(tmp_path / "pirate"))
    await switching

    assert [adapter.id for adapter in runtime.get_service().adapters.mounted] == ["pirate"]
    assert await ask(("pirate",)) != await ask()
