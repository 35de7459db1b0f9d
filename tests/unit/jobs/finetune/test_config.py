from typing import Any

import pytest

from jobs.errors import JobError
from jobs.finetune.config import (
    FinetuneConfig,
    InvalidField,
    Method,
    RankScaling,
    Schedule,
    Scope,
    read_config,
    unknown_names,
)

PLACES = {"model_dir": "model", "data_dir": "data", "adapter_path": "adapter"}


def config(**fields: Any) -> FinetuneConfig:
    return read_config({**PLACES, **fields})


def test_what_is_left_out_has_its_default() -> None:
    read = config()

    assert (read.method, read.rank, read.scale) == (Method.SFT, 8, 1.0)
    assert read.rank_scaling is RankScaling.BY_BITS
    assert len(read.target_modules) == 7
    assert (read.num_layers, read.iters, read.max_seq_length) == (-1, 100, 512)
    assert (read.batch_size, read.grad_accumulation_steps) == (1, 1)
    assert (read.steps_per_report, read.steps_per_eval, read.val_max_examples) == (10, 50, 256)
    assert (read.weight_decay, read.grad_clip_norm) == (0.01, 1.0)
    assert (read.dpo_beta, read.orpo_lambda) == (0.1, 0.1)
    assert read.dpo_lr_schedule is read.orpo_lr_schedule is Schedule.COSINE


@pytest.mark.parametrize(("method", "rate"), [("sft", 2e-4), ("dpo", 5e-5), ("orpo", 1e-5)])
def test_the_learning_rate_follows_the_method(method: str, rate: float) -> None:
    assert config(method=method).peak_learning_rate == rate


def test_a_learning_rate_that_is_given_wins() -> None:
    assert config(method="dpo", learning_rate=3e-4).peak_learning_rate == 3e-4


def test_null_is_as_good_as_leaving_a_field_out() -> None:
    assert config(rank=None, sft_scope=None) == config()


def test_a_whole_number_may_be_written_as_a_float() -> None:
    assert config(rank=16.0).rank == 16


def test_warm_up_and_schedule_are_those_of_the_method() -> None:
    fields = {"dpo_warmup_iters": 5, "orpo_warmup_iters": 7, "orpo_lr_schedule": "constant"}

    assert [config(method=m, **fields).warmup_iters for m in Method] == [0, 5, 7]
    assert [config(method=m, **fields).schedule for m in Method] == [
        "constant",
        "cosine",
        "constant",
    ]


def test_a_rest_of_iterations_makes_no_update() -> None:
    assert config(iters=11, grad_accumulation_steps=4).updates == 2


@pytest.mark.parametrize(
    ("name", "value", "allowed", "remedy"),
    [
        ("method", "ppo", "sft or dpo or orpo", "sft"),
        ("rank", 0, "a whole number from 1 to 1,024", "8"),
        ("rank", 1.5, "a whole number from 1 to 1,024", "8"),
        ("rank", True, "a whole number from 1 to 1,024", "8"),
        ("scale", 0, "a number above 0, up to 1000", "1.0"),
        ("scale", float("nan"), "a number above 0", "1.0"),
        ("scale", "20", "a number above 0", "1.0"),
        ("rank_scaling", "by_luck", "by_bits or constant", "by_bits"),
        ("target_modules", [], "a list of names", "q_proj"),
        ("target_modules", [3], "a list of names", "q_proj"),
        ("num_layers", -2, "-1 or 0: all", "-1"),
        ("iters", 0, "a whole number from 1", "100"),
        ("learning_rate", -1, "a number above 0", "the default"),
        ("seed", 2**32, "a whole number from 0", "0"),
        ("lora_dropout", 1.0, "a number from 0 to 0.99", "0.0"),
        ("rs_lora", 1, "true or false", "false"),
        ("save_checkpoints", "yes", "true or false", "true"),
        ("dpo_lr_schedule", "linear", "constant or cosine", "cosine"),
        ("sft_scope", "prompt", "full or response", "the default"),
        ("warm_start_adapter", " ", "a text that is not blank", "the default"),
        ("adapter_path", 7, "a text that is not blank", "Name a folder"),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed_and_a_remedy(
    name: str, value: object, allowed: str, remedy: str
) -> None:
    with pytest.raises(InvalidField) as caught:
        config(**{name: value})

    assert str(caught.value).startswith(f"{name} is {value!r}; allowed: ")
    assert allowed in str(caught.value)
    assert remedy in str(caught.value)


@pytest.mark.parametrize("name", PLACES)
def test_a_folder_that_is_not_named_is_missed(name: str) -> None:
    with pytest.raises(JobError, match=f"{name} is missing"):
        read_config({key: value for key, value in PLACES.items() if key != name})


def test_more_accumulation_than_iterations_would_never_update() -> None:
    with pytest.raises(InvalidField, match="at most iters, 100"):
        config(grad_accumulation_steps=101)


@pytest.mark.parametrize("method", ["dpo", "orpo"])
def test_a_warm_up_ends_before_the_run(method: str) -> None:
    with pytest.raises(InvalidField, match=f"{method}_warmup_iters is 100"):
        config(method=method, **{f"{method}_warmup_iters": 100})


def test_names_that_mean_nothing_are_found() -> None:
    assert unknown_names({**PLACES, "lerning_rate": 1, "rank": 2}) == ["lerning_rate"]


def test_a_scope_that_is_not_given_is_told_from_one_that_is() -> None:
    assert config().sft_scope is None
    assert config(sft_scope="full").sft_scope is Scope.FULL
