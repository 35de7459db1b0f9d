"""When memory runs out the newest sequence ends, and nobody else notices."""

import gc

import mlx.core as mx
import pytest

from inference.engine.cache.memory_guard import MemoryGuard, OutOfMemory
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 12
ROOMY = 1 << 28
PROMPTS = make_prompts(12)
LONG, LONGER = PROMPTS[7][:60], PROMPTS[11]
SHORT = PROMPTS[2], PROMPTS[4], PROMPTS[5]


@pytest.fixture(scope="module")
def tiny(tiny_model):
    return tiny_model("llama").model


class Loop(StepLoop):
    """A loop whose runner believes that memory is out for `shortage` more steps."""

    def __init__(self, model, **limits):
        guard = MemoryGuard(limit_bytes=1, headroom_bytes=1, in_use=lambda: int(self.shortage > 0))
        super().__init__(ModelRunner(model, ROOMY, guard=guard), **limits)
        self.shortage = 0

    def step(self):
        super().step()
        self.shortage = max(self.shortage - 1, 0)

    def begin_rows(self, prompts):
        """Add sequences and run until each has a token."""
        rows = [self.add(make_sequence(prompt, MAX_TOKENS)) for prompt in prompts]
        self.run_until(lambda: all(row.output for row in rows))
        return rows

    @property
    def failed(self):
        assert all(isinstance(error, OutOfMemory) for _, error in self.failures)
        return [sequence for sequence, _ in self.failures]


def answer(model, sequence):
    return reference(model, sequence.prompt, MAX_TOKENS)


@pytest.mark.parametrize("steps_before", range(1, 5))
def test_the_newest_prompt_goes_whichever_has_the_turn(steps_before, tiny):
    loop = Loop(tiny, chunk=8)
    rows = loop.begin_rows(SHORT)
    older, newest = (loop.add(make_sequence(prompt, MAX_TOKENS)) for prompt in (LONGER, LONG))
    loop.run_until(lambda: newest.num_computed > 0)
    for _ in range(steps_before):
        loop.step()
    assert min(older.num_prefill_left, newest.num_prefill_left) > 0

    loop.shortage = 1
    loop.run()

    assert loop.failed == [newest]
    assert [s.output for s in [*rows, older]] == [answer(tiny, s) for s in [*rows, older]]


def test_a_prompt_that_has_not_begun_is_left_alone(tiny):
    loop = Loop(tiny, chunk=8)
    begun = loop.add(make_sequence(LONG, MAX_TOKENS))
    loop.step()
    waiting = loop.add(make_sequence(LONGER, MAX_TOKENS))

    loop.shortage = 1
    loop.step()

    assert (loop.failed, waiting.num_computed) == ([begun], 0)
    loop.run()
    assert waiting.output == answer(tiny, waiting)


def test_the_newest_row_goes_when_no_prompt_is_left(tiny):
    loop = Loop(tiny)
    rows = loop.begin_rows(SHORT)

    loop.shortage = 1
    loop.run()

    assert loop.failed == rows[-1:]
    assert [row.output for row in rows[:-1]] == [answer(tiny, row) for row in rows[:-1]]
    assert loop.runner.stats().kv_bytes == 0


def test_a_row_that_joins_in_that_step_goes_alone(tiny):
    loop = Loop(tiny)
    (row,) = loop.begin_rows(SHORT[:1])
    joining = loop.add(make_sequence(SHORT[1], MAX_TOKENS))
    loop.step()
    assert (joining.num_prefill_left, joining.num_launched) == (0, 0)

    loop.shortage = 1
    loop.run()

    assert loop.failed == [joining]
    assert row.output == answer(tiny, row)
    assert loop.runner._prefilling == {}


def test_one_goes_for_each_step_that_is_short(tiny):
    loop = Loop(tiny)
    rows = loop.begin_rows(SHORT)

    loop.shortage = 2
    loop.run()

    assert loop.failed == [rows[2], rows[1]]
    assert rows[0].output == answer(tiny, rows[0])


def kv_bytes(model, prompt):
    """Return what the caches of one such sequence take."""
    loop = StepLoop(ModelRunner(model, 0))
    row = loop.add(make_sequence(prompt, 1))
    loop.run_until(lambda: row.num_launched == 1)
    held = loop.runner.stats().kv_bytes
    loop.run()
    return held


@pytest.mark.parametrize("kind", ["llama", "gemma3_text", "qwen3_5"])
def test_with_the_memory_that_is_in_use(kind, tiny_model):
    """Prefixes make room for six sequences, and of eight at once some end early."""
    model = tiny_model(kind).model
    prompts = [[number, *[7] * 300] for number in range(8)]
    one = kv_bytes(model, prompts[0])
    gc.collect()  # what tests before this one left would be freed at any time
    mx.clear_cache()
    limit = mx.get_active_memory() + 11 * one
    guard = MemoryGuard(limit, headroom_bytes=5 * one, in_use=mx.get_active_memory)
    loop = StepLoop(ModelRunner(model, ROOMY, guard=guard), chunk=64)

    short = [loop.answer(prompt, 2) for prompt in prompts]
    kept = loop.runner.stats().cache_entries
    together = [loop.add(make_sequence(prompt, 30)) for prompt in prompts]
    highest = 0
    while not loop.scheduler.is_idle:
        loop.step()
        highest = max(highest, mx.get_active_memory())
    loop.run()

    failed = [sequence for sequence, error in loop.failures if isinstance(error, OutOfMemory)]
    survivors = [sequence for sequence in together if sequence not in failed]
    assert short == [reference(model, prompt, 2) for prompt in prompts]
    assert 0 < kept < len(prompts)
    assert 0 < len(failed) < len(together) and len(failed) == len(loop.failures)
    assert [s.output for s in survivors] == [reference(model, s.prompt, 30) for s in survivors]
    assert highest <= limit
