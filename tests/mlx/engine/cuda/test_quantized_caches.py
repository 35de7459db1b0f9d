"""Traced steps leave quantized caches to the model, whose answers stay the same.

Without a GPU, as in the other tests of these steps: what is tried is who computes.
"""

import json
from functools import partial

import pytest
from mlx_lm.models import base, llama

from inference.engine.cache.choice import choose_scheme
from inference.engine.cache.kv_config import FILE_NAME
from inference.engine.cuda.step import StepModel, scaled_dot_product_attention
from inference.engine.model_runner import ModelRunner
from inference.kv_quant import KvQuant
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence

MAX_TOKENS = 8
PROMPTS = make_prompts(6)


def answer(model, scheme):
    rows = None if scheme.batches else 1
    runner = ModelRunner(model, 1 << 28, scheme=scheme, max_rows=rows)
    loop = StepLoop(runner, chunk=32, max_running=rows or 8)
    return loop.answer_all([make_sequence(prompt, MAX_TOKENS) for prompt in PROMPTS])


@pytest.mark.parametrize("asked", ["4", "8", "turbo", "config"])
def test_quantized_caches_take_the_untraced_path(asked, tiny_model, tmp_path, monkeypatch):
    (tmp_path / FILE_NAME).write_text(json.dumps([{"layer_idx": 1, "bits": 4}]), encoding="utf-8")
    model = tiny_model("wide_llama").model
    scheme = choose_scheme(model, KvQuant.parse(asked), tmp_path)
    expected = answer(model, scheme)
    hooked = partial(scaled_dot_product_attention, base.scaled_dot_product_attention)
    monkeypatch.setattr(llama, "scaled_dot_product_attention", hooked)
    monkeypatch.setattr(StepModel, "_decode", lambda *_: pytest.fail("a step was traced"))

    assert answer(StepModel(model), scheme) == expected
