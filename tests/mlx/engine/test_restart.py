"""Prompts outlive a restart: what was on disk is right, and what was not is computed again."""

import asyncio
import json
import os
import random

import pytest

from inference.engine.cache.memory_guard import MemoryGuard
from inference.engine.cache.scheme import KvScheme, affine, turbo
from inference.engine.cache.ssd import header
from tests.plugins.ssd_engine import SsdEngine
from tests.plugins.step_loop import reference

MOST = 0.9
LONG = [random.Random(5).randrange(256) for _ in range(2000)]
SHORT = LONG[:120]


@pytest.fixture
def open_engine(tiny_checkpoint, tmp_path):
    """Start an engine over a kind of tiny model; one after the other on the same folder."""
    engines = []

    def start(kind="llama", folder=tmp_path / "cache", **fields):
        engines.append(SsdEngine(tiny_checkpoint(kind), folder, **fields).start())
        return engines[-1]

    yield start
    for engine in engines:
        engine.close()


async def filled(open_engine, *prompts, **fields):
    """Have prompts on disk; returns the files, in their order."""
    engine = open_engine(**fields)
    files = []
    for prompt in prompts:
        await engine.answer(prompt)
        assert engine.flush().durable
        files += [path for path in engine.files if path not in files]
    engine.close()
    return files


@pytest.mark.parametrize(
    "kind", ["llama", "sliding", "gemma3_text", "hybrid", "qwen3_5", "deepseek_v3", "llama4"]
)
async def test_a_long_prompt_is_read_from_disk_after_a_restart(kind, open_engine):
    before = open_engine(kind)
    first = await before.answer(LONG)
    assert before.flush().durable
    before.close()

    after = open_engine(kind)
    second = await after.answer(LONG)

    assert first.cached == 0
    assert second.cached > MOST * len(LONG)
    assert second.tokens == first.tokens
    assert after.stats.restores == 1


@pytest.mark.parametrize(
    "scheme",
    [
        KvScheme("kv4", "", False, (affine(4, 32), affine(4, 32))),
        KvScheme("kv8", "", False, (affine(8, 32), affine(8, 32))),
        KvScheme("turbo-k8v3", "", False, (turbo(8, 3), turbo(8, 3))),
    ],
    ids=lambda scheme: scheme.name,
)
async def test_so_is_one_in_few_bits(scheme, tmp_path, wide_checkpoint):
    def start():
        return SsdEngine(wide_checkpoint, tmp_path / "cache", scheme=scheme, max_rows=1).start()

    before = start()
    first = await before.answer(SHORT)
    before.flush()
    before.close()
    after = start()
    second = await after.answer(SHORT)
    after.close()

    assert (second.cached, second.tokens) == (len(SHORT) - 1, first.tokens)
    assert {path.parts[-3] for path in after.files} == {f"0123456789abcdef-{scheme.name}"}


@pytest.fixture(scope="module")
def wide_checkpoint(tmp_path_factory):
    """A model whose heads are wide enough to be quantized."""
    from tests.plugins import tiny_configs, tiny_model

    folder = tmp_path_factory.mktemp("wide")
    wide = {"model_type": "llama", "head_dim": 64}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(tiny_configs.CONFIGS, "wide", wide)
        tiny_model.write_checkpoint(folder, "wide")
    return folder


async def test_what_the_engine_writes_by_itself_is_as_good_as_a_flush(open_engine):
    before = open_engine()
    first = await before.answer(SHORT)
    await _eventually(lambda: before.stats.pending_snapshots == 0)
    before.close()

    second = await open_engine().answer(SHORT)

    assert second.cached == len(SHORT) - 1
    assert second.tokens == first.tokens


async def test_the_disk_is_asked_only_for_what_is_longer_than_in_memory(open_engine):
    await filled(open_engine, SHORT)
    engine = open_engine()
    await engine.answer(SHORT[:100])
    assert engine.stats.restores == 1  # which brought all of it into memory

    again = await engine.answer(SHORT)

    assert again.cached == len(SHORT) - 1
    assert engine.stats.restores == 1


async def test_a_cut_of_what_is_on_disk_is_used(open_engine, tiny_model):
    await filled(open_engine, SHORT)
    prompt = [*SHORT[:70], 1, 2, 3]

    answer = await open_engine().answer(prompt)

    assert answer.cached == 70
    assert answer.tokens == reference(tiny_model("llama").model, prompt, 8)


async def test_what_cannot_be_cut_is_used_whole_or_not_at_all(open_engine, tiny_model):
    await filled(open_engine, SHORT, kind="qwen3_5")
    prompt = [*SHORT[:70], 1, 2, 3]

    answer = await open_engine("qwen3_5").answer(prompt)

    assert answer.cached == 0
    assert answer.tokens == reference(tiny_model("qwen3_5").model, prompt, 8)


async def test_namespaces_share_nothing_on_disk_either(open_engine):
    engine = open_engine()
    await engine.answer(SHORT, namespace="poet")
    engine.flush()
    engine.close()

    engine = open_engine()
    plain = await engine.answer(SHORT)
    poet = await engine.answer(SHORT, namespace="poet")

    assert (plain.cached, poet.cached) == (0, len(SHORT) - 1)


async def test_another_fingerprint_finds_nothing_and_deletes_nothing(open_engine):
    files = await filled(open_engine, SHORT)

    other = open_engine(fingerprint="f" * 16)
    answer = await other.answer(SHORT)

    assert answer.cached == 0
    assert all(path.exists() for path in files)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(os.urandom(5000)),
        lambda path: path.write_bytes(path.read_bytes().replace(b"tiny", b"tony")),
    ],
    ids=["truncated", "empty", "noise", "header"],
)
@pytest.mark.parametrize("when", ["before the start", "after the start"])
async def test_a_damaged_file_is_a_miss_and_goes(damage, when, open_engine, tiny_model):
    (path,) = await filled(open_engine, SHORT)
    if when == "before the start":
        damage(path)
        engine = open_engine()
    else:
        engine = open_engine()
        damage(path)

    answer = await engine.answer(SHORT)

    assert answer.cached == 0
    assert answer.tokens == reference(tiny_model("llama").model, SHORT, 8)
    assert not path.exists()
    assert engine.flush().durable


@pytest.mark.parametrize("verify", [True, False])
async def test_damaged_tensors_are_noticed_if_asked_for(verify, open_engine):
    (path,) = await filled(open_engine, SHORT)
    data = bytearray(path.read_bytes())
    data[-5] ^= 255
    path.write_bytes(data)

    engine = open_engine(options={"verify": verify})
    answer = await engine.answer(SHORT)

    assert answer.cached == (0 if verify else len(SHORT) - 1)


async def test_a_file_of_another_tokenizer_goes(open_engine):
    (path,) = await filled(open_engine, SHORT)
    _rewrite(path, tokenizer="another")

    engine = open_engine()

    assert engine.stats.entries == 0
    assert not path.exists()


async def test_a_file_that_vanishes_is_a_miss(open_engine):
    (path,) = await filled(open_engine, SHORT)
    engine = open_engine()
    path.unlink()

    assert (await engine.answer(SHORT)).cached == 0


async def test_a_start_on_too_much_keeps_the_newest(open_engine, caplog):
    """Public case rl-02."""
    prompts = [[token, *SHORT] for token in range(6)]
    files = await filled(open_engine, *prompts)
    size = files[0].stat().st_size
    for age, path in enumerate(reversed(files)):
        os.utime(path, (10**9 - age, 10**9 - age))
    await filled(open_engine, SHORT, fingerprint="f" * 16)
    foreign = [path for path in files[0].parents[2].rglob("*.safetensors") if path not in files]
    truncated = files[0].with_name("a" * 32 + ".safetensors")
    truncated.write_bytes(files[0].read_bytes()[:999])
    stranger = files[0].with_name("notes.txt")
    stranger.write_text("keep me")
    limit = 2 * size + 100

    engine = open_engine(options={"max_bytes": limit})
    at_start = engine.stats
    cached = [(await engine.answer(prompt)).cached for prompt in reversed(prompts[:5])]
    engine.flush()

    assert (at_start.entries, at_start.bytes) == (2, 2 * size)
    assert cached == [len(prompts[0]) - 1, 0, 0, 0, 0]
    assert engine.stats.bytes <= limit
    assert not truncated.exists() and stranger.exists()
    assert foreign and all(path.exists() for path in foreign)


async def test_what_leaves_the_memory_for_want_of_room_is_on_disk(open_engine):
    one = open_engine(options={"write_behind": False})
    await one.answer(SHORT)
    size = one.engine.stats().runner.cache_bytes
    one.close()
    engine = open_engine(memory_bytes=int(1.5 * size), options={"write_behind": False})

    for token in (1, 2, 3):
        await engine.answer([token, *SHORT])
    await _eventually(lambda: engine.stats.spills == 2)

    assert engine.engine.stats().runner.cache_entries == 1
    assert (await engine.answer([1, *SHORT])).cached == len(SHORT)


async def test_what_is_larger_than_the_memory_is_on_disk_only(open_engine):
    engine = open_engine(memory_bytes=1000)
    await engine.answer(SHORT)
    assert engine.flush().durable

    again = await engine.answer(SHORT)

    assert again.cached == len(SHORT) - 1
    assert engine.engine.stats().runner.cache_entries == 0
    assert engine.stats.entries == 1


async def test_what_nobody_uses_moves_to_disk(open_engine):
    engine = open_engine(options={"demote_idle_seconds": 0.2, "write_behind": False})
    first = await engine.answer(SHORT)

    await _eventually(lambda: engine.stats.demotions == 1 and engine.stats.spills == 1)

    assert engine.engine.stats().runner.cache_bytes == 0
    assert await engine.answer(SHORT) == type(first)(first.tokens, len(SHORT) - 1)


async def test_so_does_what_is_larger_than_all_that_may_wait_and_what_is_there_already(open_engine):
    options = {"demote_idle_seconds": 0.2, "write_behind": False, "queue_bytes": 1}
    engine = open_engine(options=options)
    for token in (1, 2):
        await engine.answer([token, *SHORT])
    await _eventually(lambda: engine.engine.stats().runner.cache_entries == 0)
    assert engine.flush().durable
    for token in (1, 2):
        assert (await engine.answer([token, *SHORT])).cached == len(SHORT)

    await _eventually(lambda: engine.engine.stats().runner.cache_entries == 0)

    assert (engine.stats.demotions, engine.stats.dropped_spills) == (4, 0)


async def test_what_the_disk_can_never_take_stays_in_memory(open_engine):
    options = {"demote_idle_seconds": 0.1, "write_behind": False, "max_bytes": 40_000}
    engine = open_engine(options=options)
    await engine.answer(SHORT)
    await engine.answer([1, 2, 3] * 11)

    await _eventually(lambda: engine.stats.demotions == 1)

    assert engine.engine.stats().runner.cache_entries == 1
    assert (await engine.answer(SHORT)).cached == len(SHORT) - 1


async def test_what_goes_because_memory_runs_out_is_on_disk(open_engine):
    short = [False]
    guard = MemoryGuard(10**9, 1, in_use=lambda: 10**10 * short.pop() if len(short) > 1 else 0)
    engine = open_engine(guard=guard, options={"write_behind": False})
    first = await engine.answer(SHORT)
    short += [True, True]  # the runner looks twice before it evicts

    await engine.answer([1, 2, 3])
    assert engine.flush().durable

    assert engine.stats.spills == 2
    assert await engine.answer(SHORT) == type(first)(first.tokens, len(SHORT) - 1)
    assert engine.stats.restores == 1


async def test_nothing_is_read_that_memory_has_no_room_for(open_engine):
    (path,) = await filled(open_engine, SHORT)
    size = path.stat().st_size
    engine = open_engine(guard=MemoryGuard(size // 2, 1, in_use=lambda: 0))

    assert (await engine.answer(SHORT)).cached == 0
    assert engine.stats.entries == 1


async def test_two_servers_share_a_folder(open_engine):
    here, there = open_engine(), open_engine()

    for number, engine in enumerate((here, there, here, there)):
        await engine.answer([number, *SHORT])
        assert engine.flush().durable
    here.close()
    there.close()
    after = open_engine()

    assert after.stats.entries == 4
    assert [(await after.answer([n, *SHORT])).cached for n in range(4)] == [len(SHORT)] * 4


async def _eventually(condition):
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it never came true")


def _rewrite(path, **changes):
    """Change what an entry says of itself, and make its hash right."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    table = json.loads(data[8 : 8 + length])
    entry = {**json.loads(table["__metadata__"]["entry"]), **changes}
    table["__metadata__"] = {"entry": json.dumps(entry)}
    table["__metadata__"]["sha256"] = header._digest(table)
    text = json.dumps(table).encode().ljust(length)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])
