"""What each configuration learns from, by hand-computed logits."""

import json
from pathlib import Path

import numpy as np
import pytest

from jobs.finetune.config import FinetuneConfig, Method, Scope
from jobs.finetune.data.messages import Conversation
from jobs.finetune.training.objectives import build_task
from tests.mlx.jobs.finetune.training.test_losses import TABLE, Bigram, logprobs, sigmoid

PROMPT, CHOSEN, REJECTED = (1, 2, 5), (3, 4, 0), (6, 0)
WEIGHT = 0.25


class Digits:
    """An encoder to which a message is its digits."""

    def conversation(
        self, conversation: Conversation, place: str
    ) -> tuple[list[int], list[list[int]]]:
        [prompt] = conversation.prompt
        answers = [list(map(int, answer["content"])) for answer in conversation.answers]
        return list(map(int, prompt["content"])), answers


@pytest.mark.parametrize("scope", [None, Scope.RESPONSE, Scope.FULL])
@pytest.mark.parametrize("thrifty", [False, True])
def test_orpo_learns_the_chosen_answer_and_the_prompt_only_if_asked(
    tmp_path: Path, scope: Scope | None, thrifty: bool
) -> None:
    row = {"prompt": "125", "chosen": "340", "rejected": "60"}
    (tmp_path / "train.jsonl").write_text(json.dumps(row))
    model = Bigram(TABLE)
    config = FinetuneConfig(
        model_dir="m",
        data_dir=str(tmp_path),
        adapter_path="a",
        method=Method.ORPO,
        orpo_lambda=WEIGHT,
        orpo_fused_ce=thrifty,
        orpo_flash_ce=thrifty,
        orpo_prefix_shared=False,
        **({} if scope is None else {"sft_scope": scope}),
    )

    task = build_task(config, model, Digits())
    loss, _ = task.train.loss(model, task.train.collate([0]).arrays)

    chosen, rejected = (logprobs(TABLE, PROMPT, answer) for answer in (CHOSEN, REJECTED))
    likely, unlikely = np.exp(chosen.mean()), np.exp(rejected.mean())
    ratio = np.log(likely / (1 - likely)) - np.log(unlikely / (1 - unlikely))
    learnt = chosen
    if scope is Scope.FULL:
        learnt = logprobs(TABLE, PROMPT[:1], (*PROMPT[1:], *CHOSEN))
    expected = -learnt.mean() - WEIGHT * np.log(sigmoid(ratio))
    assert loss.item() == pytest.approx(expected, rel=1e-5)
