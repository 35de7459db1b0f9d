"""Training a real model, on a small data set of our own: it learns what it is shown.

A few iterations each, to stay short. With MLXSITE_REQUIRE_ALL=1 nothing is skipped.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.mlx.jobs.finetune.conftest import Finetune, Run
from tests.plugins.household import pairs, question, rows

pytestmark = [pytest.mark.starter, pytest.mark.slow]

FIELDS: dict[str, Any] = {"num_layers": 4, "scale": 20.0, "steps_per_report": 4}


def train(finetune: Finetune, model: Path, content: list[Any], **fields: Any) -> Run:
    """Train on all rows but the last, which is held out."""
    asked = {**FIELDS, "model_dir": str(model), "steps_per_eval": fields["iters"], **fields}
    return finetune(content[:-1], content[-1:], **asked)


def answer(model_path: Path, adapter: Path | None, prompt: str) -> str:
    """The model's answer, greedy, computed in float32."""
    import mlx.core as mx
    from mlx_lm import generate, load
    from mlx_lm.utils import dequantize_model

    model, tokenizer = load(str(model_path), adapter_path=adapter and str(adapter))
    model.set_dtype(mx.float32)
    dequantize_model(model)
    messages = [{"role": "user", "content": prompt}]
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True)
    return str(generate(model, tokenizer, text, max_tokens=8))


def test_a_form_that_was_learnt_is_given_to_things_never_seen(
    finetune: Finetune, starter_model: Path
) -> None:
    run = train(finetune, starter_model, rows(), iters=12, learning_rate=1e-3)
    before, after = run.events.losses("val")

    assert after < before / 2
    assert answer(starter_model, run.folder, question("rake")).startswith("Thing: rake")
    assert not answer(starter_model, None, question("rake")).startswith("Thing")


@pytest.mark.parametrize("method", ["dpo", "orpo"])
def test_chosen_answers_gain_on_rejected_ones(
    method: str, finetune: Finetune, starter_model: Path
) -> None:
    run = train(finetune, starter_model, pairs()[-3:], iters=2, method=method, learning_rate=1e-3)
    before, after = run.events.metrics("val")

    assert after["margin"] > before["margin"] + 0.1
    assert after["loss"] < before["loss"]
