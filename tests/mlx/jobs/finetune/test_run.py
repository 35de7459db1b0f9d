"""Whole runs of the job on a tiny model: what it tells, what it leaves, and every option."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.tuner.utils import load_adapters
from mlx_lm.utils import load_model

from jobs.errors import JobError
from jobs.finetune.config import InvalidField
from tests.mlx.jobs.finetune.conftest import PAIRS, ROWS, Finetune

METHODS = ("sft", "dpo", "orpo")
LONG = {"messages": [{"role": "user", "content": "Go"}, {"role": "assistant", "content": "x" * 90}]}


@pytest.mark.parametrize("method", METHODS)
def test_the_loss_falls(method: str, finetune: Finetune) -> None:
    run = finetune(method=method, iters=16)

    assert run.losses[-1] < run.losses[0] / 2


@pytest.mark.parametrize("method", ["dpo", "orpo"])
def test_the_chosen_answers_gain_on_the_rejected(method: str, finetune: Finetune) -> None:
    run = finetune(valid=PAIRS, method=method, iters=16, steps_per_eval=16)
    before, after = run.events.metrics("val")

    assert after["margin"] > before["margin"] + 1
    assert before["accuracy"] < 0.5
    assert after["accuracy"] == 1


def test_a_run_tells_its_stages_in_order(finetune: Finetune) -> None:
    events = finetune(valid=PAIRS[:3], method="dpo", steps_per_report=3).events.all
    stages = [event["stage"] for event in events if event["type"] == "stage"]
    shares = [event["progress"] for event in events if "progress" in event]

    assert list(dict.fromkeys(stages)) == ["load", "data", "reference", "save"]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1


def test_a_measurement_holds_all_figures(finetune: Finetune) -> None:
    run = finetune(valid=ROWS[:2], steps_per_report=3, steps_per_eval=3)
    train, val = run.events.metrics("train"), run.events.metrics("val")

    assert [event["step"] for event in train] == [3, 6]
    assert [event["step"] for event in val] == [0, 3, 6]
    for event in train:
        assert event["grad_norm"] > 0
        assert event["learning_rate"] == 1e-2
        assert event["tokens_per_sec"] > 0
        assert event["peak_memory_gb"] > 0  # of the whole process, other tests included
        assert event["message"].startswith(f"Iteration {event['step']}/6, loss ")


def test_a_report_is_the_mean_over_its_iterations(finetune: Finetune) -> None:
    rows = ROWS[:1] * 2  # of one length, so that every iteration weighs alike

    each, whole = (finetune(rows, steps_per_report=n).losses for n in (1, 6))

    assert whole == [pytest.approx(sum(each) / 6)]


def test_the_folder_is_an_adapter_that_mlx_lm_loads(
    finetune: Finetune, tiny_checkpoint: Callable[[str], Path]
) -> None:
    run = finetune(rank=4, scale=2.0, num_layers=1, target_modules=["q_proj", "v_proj"])

    assert run.config["lora_parameters"] == {
        "rank": 4,
        "scale": 2.0,
        "dropout": 0.0,
        "keys": ["self_attn.q_proj", "self_attn.v_proj"],
    }
    assert (run.config["num_layers"], run.config["base_model"]) == (1, "llama")
    model, _ = load_model(tiny_checkpoint("llama"))
    before = model(mx.arange(9)[None])
    loaded = load_adapters(model, str(run.folder))
    assert not mx.allclose(loaded(mx.arange(9)[None]), before).item()


def test_the_folder_holds_a_plot_and_a_record(finetune: Finetune) -> None:
    run = finetune(valid=ROWS[:2], steps_per_eval=3)
    record = json.loads((run.folder / "training.json").read_text())

    assert (run.folder / "loss.svg").read_text().startswith("<svg")
    assert record["asked"]["iters"] == 6
    assert [point["step"] for point in record["train"]] == [1, 2, 3, 4, 5, 6]
    assert [point["loss"] for point in record["val"]] == run.events.losses("val")
    assert {**record["summary"], "plot": str(run.folder / "loss.svg")} == run.outcome.summary
    assert run.outcome.output_dir == str(run.folder)
    assert run.outcome.summary["val_loss"] < run.outcome.summary["first_val_loss"]


def test_no_file_of_an_adapter_tells_of_this_machine(finetune: Finetune, tmp_path: Path) -> None:
    first = finetune()
    run = finetune(warm_start_adapter=str(first.folder))

    files = [path for path in run.folder.rglob("*") if path.is_file()]

    assert len(files) == 4
    assert not [path for path in files if str(tmp_path).encode() in path.read_bytes()]


def test_a_seed_repeats_a_run(finetune: Finetune) -> None:
    def losses(seed: int) -> list[float]:
        return finetune(seed=seed, lora_dropout=0.3).losses

    assert losses(1) == losses(1)
    assert losses(1) != losses(2)


@pytest.mark.parametrize("method", METHODS)
def test_accumulation_equals_a_larger_batch(method: str, finetune: Finetune) -> None:
    small = finetune(method=method, iters=12, batch_size=1, grad_accumulation_steps=4)
    large = finetune(method=method, iters=3, batch_size=4)

    assert small.losses == pytest.approx(large.losses, rel=1e-4)
    assert [event["step"] for event in small.events.metrics("train")] == [4, 8, 12]


def test_a_rest_that_makes_no_update_is_told(finetune: Finetune) -> None:
    run = finetune(iters=7, grad_accumulation_steps=3)

    assert "the last 1 of 7 iterations make no whole update" in run.events.logs()
    assert run.outcome.summary["iterations"] == 6


def test_a_batch_larger_than_the_set_is_the_set(finetune: Finetune) -> None:
    run = finetune(ROWS[:3], batch_size=8)

    assert "batch_size is 3: there are no more rows" in run.events.logs()


PLAIN: dict[str, list[float]] = {}


def plain_losses(method: str, finetune: Finetune) -> list[float]:
    """Of a run without any option, made once."""
    if method not in PLAIN:
        PLAIN[method] = finetune(method=method, iters=4).losses
    return PLAIN[method]


# What differs in losses from a run without the option.
@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("sft", {"rank": 2}),
        ("sft", {"scale": 5.0}),
        ("sft", {"rs_lora": True}),
        ("sft", {"num_layers": 1}),
        ("sft", {"target_modules": ["q_proj"]}),
        ("sft", {"learning_rate": 1e-3}),
        ("sft", {"weight_decay": 5.0}),
        ("sft", {"lora_dropout": 0.4}),
        ("sft", {"lora_plus_ratio": 4}),
        ("sft", {"grad_clip_norm": 0}),
        ("sft", {"sft_scope": "full"}),
        ("sft", {"max_seq_length": 34}),
        ("dpo", {"dpo_beta": 0.5}),
        ("dpo", {"dpo_warmup_iters": 3}),
        ("dpo", {"dpo_lr_schedule": "constant"}),
        ("orpo", {"orpo_lambda": 2.0}),
        ("orpo", {"orpo_warmup_iters": 3}),
        ("orpo", {"orpo_lr_schedule": "constant"}),
        ("orpo", {"sft_scope": "full"}),
    ],
    ids=str,
)
def test_an_option_changes_what_is_learned(
    method: str, fields: dict[str, Any], finetune: Finetune
) -> None:
    changed = finetune(method=method, iters=4, **fields).losses

    assert changed != pytest.approx(plain_losses(method, finetune), rel=1e-3)


# What saves memory or time, and changes no loss.
@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("sft", {"grad_checkpoint": True}),
        ("sft", {"segment_size": 2}),
        ("sft", {"mlp_split": True}),
        ("dpo", {"grad_checkpoint": True}),
        ("orpo", {"orpo_fused_ce": False}),
        ("orpo", {"orpo_flash_ce": False}),
        ("orpo", {"orpo_fused_ce": False, "orpo_flash_ce": False}),
        ("orpo", {"orpo_chunk_size": 4}),
        ("orpo", {"orpo_prefix_shared": False}),
        ("orpo", {"grad_checkpoint": True}),
    ],
    ids=str,
)
def test_an_option_changes_the_way_and_not_the_result(
    method: str, fields: dict[str, Any], finetune: Finetune
) -> None:
    changed = finetune(method=method, iters=4, **fields).losses

    assert changed == pytest.approx(plain_losses(method, finetune), rel=1e-3)


def test_what_a_model_does_not_allow_is_told(finetune: Finetune) -> None:
    logs = finetune(method="orpo", kind="gemma2").events.logs()

    assert any(line.startswith("orpo_fused_ce and orpo_flash_ce have no effect") for line in logs)


def test_a_prompt_is_computed_twice_where_caches_forbid_sharing(finetune: Finetune) -> None:
    logs = finetune(method="orpo", kind="sliding").events.logs()

    assert "orpo_prefix_shared has no effect: this model's caches forbid it" in logs


def test_validation_can_be_limited_and_switched_off(finetune: Finetune) -> None:
    some = finetune(valid=ROWS, steps_per_eval=6, val_max_examples=2)
    none = finetune(valid=ROWS, steps_per_eval=0)

    assert "valid.jsonl: 2 rows" in some.events.logs()
    assert len(some.events.metrics("val")) == 2
    assert none.events.metrics("val") == []


def test_rows_that_were_cut_or_dropped_are_counted(finetune: Finetune) -> None:
    run = finetune([*ROWS, LONG], max_seq_length=80)

    assert "train.jsonl: 9 rows, 1 cut to max_seq_length" in run.events.logs()


def test_a_name_that_means_nothing_is_told(finetune: Finetune) -> None:
    run = finetune(lerning_rate=1)

    assert "lerning_rate means nothing here and was passed over" in run.events.logs()


def test_training_goes_on_from_another_adapter(finetune: Finetune) -> None:
    first = finetune(iters=12)
    second = finetune(warm_start_adapter=str(first.folder), iters=2)

    assert second.losses[0] < first.losses[0] / 2


def test_the_reference_of_dpo_is_the_policy_that_training_finds(finetune: Finetune) -> None:
    answers = finetune([{"prompt": row["prompt"], "completion": row["chosen"]} for row in PAIRS])
    run = finetune(method="dpo", warm_start_adapter=str(answers.folder))

    assert run.losses[0] == pytest.approx(0.6931472)
    assert run.events.metrics("train")[0]["margin"] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("bits", [4, 8])
def test_a_quantized_model_is_trained(
    bits: int, finetune: Finetune, tiny_checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    from mlx_lm.utils import quantize_model, save_config, save_model

    source, target = tiny_checkpoint("llama"), tmp_path / "quantized"
    shutil.copytree(source, target)
    (target / "model.safetensors").unlink()
    model, config = load_model(source)

    def mixed(path: str, module: Any) -> Any:
        return {"group_size": 32, "bits": 8} if path.endswith("v_proj") else True

    model, config = quantize_model(model, config, 32, bits, quant_predicate=mixed)
    save_model(target, model)
    save_config(config, target / "config.json")

    run = finetune(model_dir=str(target), iters=16)

    assert run.losses[-1] < run.losses[0] / 2
    # v_proj has twice the bits of the others where those have 4.
    assert run.config["lora_parameters"]["rank"] == (16 if bits == 4 else 8)
    constant = finetune(model_dir=str(target), rank_scaling="constant")
    assert constant.config["lora_parameters"]["rank"] == 8


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"rank": 0}, "rank is 0; allowed"),
        ({"sft_scope": "all"}, "sft_scope is 'all'; allowed: full or response"),
        ({"num_layers": 5}, "num_layers is 5; allowed: 1 to 2"),
        ({"target_modules": ["nothing"]}, "target_modules is 'nothing'; allowed: down_proj"),
        ({"kind": "gemma4_text", "segment_size": 2}, "segment_size is 2; allowed: off"),
        ({"model_dir": "no/such-model"}, "model_dir: no model matches 'no/such-model'"),
        ({"data_dir": "no-such-folder"}, "no-such-folder/train.jsonl not found"),
        ({"warm_start_adapter": "no-such-folder"}, "no-such-folder is not a folder"),
        ({"rows": [{"text": 1}]}, "line 1: text is not a string"),
        ({"rows": []}, "train.jsonl has no rows"),
        ({"rows": PAIRS}, "method sft takes rows without pairs"),
        ({"rows": [LONG], "max_seq_length": 5}, "nothing is left to train on"),
    ],
    ids=str,
)
def test_a_fault_ends_the_job_with_words_and_leaves_nothing(
    fields: dict[str, Any], problem: str, finetune: Finetune, tmp_path: Path
) -> None:
    folder = tmp_path / "adapter"

    with pytest.raises(JobError) as caught:
        finetune(adapter_path=folder, **fields)

    assert problem in str(caught.value)
    assert not folder.exists()


def test_a_model_without_a_tokenizer_is_told(
    finetune: Finetune, tiny_checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    shutil.copytree(tiny_checkpoint("llama"), tmp_path / "mute")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "mute" / name).unlink()

    with pytest.raises(JobError, match="mute cannot be loaded: "):
        finetune(model_dir=str(tmp_path / "mute"))


def test_an_adapter_is_never_overwritten(finetune: Finetune) -> None:
    run = finetune()
    before = run.weights

    with pytest.raises(JobError, match="holds an adapter; name another folder, or delete it"):
        finetune(adapter_path=run.folder, iters=3)

    assert all(mx.array_equal(run.weights[name], before[name]).item() for name in before)


def test_other_files_are_never_mixed_with_an_adapter(finetune: Finetune, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "list.txt").write_text("milk")

    with pytest.raises(JobError, match="notes is not empty"):
        finetune(adapter_path=tmp_path / "notes")

    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["list.txt"]


def test_an_empty_folder_may_be_named(finetune: Finetune, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()

    assert finetune(adapter_path=tmp_path / "new").weights


def test_two_runs_do_not_write_to_one_folder(finetune: Finetune, tmp_path: Path) -> None:
    folder = tmp_path / "adapter"

    def start_another(event: dict[str, Any]) -> None:
        if event["type"] == "metric" and event["step"] == 2:
            with pytest.raises(JobError, match="another run writes to"):
                finetune(adapter_path=folder)

    run = finetune(adapter_path=folder, on_event=start_another)

    assert len(run.losses) == 6


def test_a_loss_that_is_no_number_keeps_the_last_good_weights(
    finetune: Finetune, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from jobs.finetune.training.sft import Sft

    original, calls = Sft.loss, 0

    def spoilt(self: Any, model: Any, arrays: Any) -> Any:
        nonlocal calls
        calls += 1
        total, figures = original(self, model, arrays)
        return total * (mx.array(float("nan")) if calls == 4 else 1), figures

    monkeypatch.setattr(Sft, "loss", spoilt)
    with pytest.raises(JobError, match=r"the loss is nan at iteration 4; .* iteration 3 left it"):
        finetune(adapter_path=tmp_path / "adapter")

    monkeypatch.setattr(Sft, "loss", original)
    good = finetune(iters=3)
    kept = mx.load(str(tmp_path / "adapter" / "adapters.safetensors"))
    assert all(mx.array_equal(kept[name], good.weights[name]).item() for name in good.weights)


def test_a_gradient_that_is_no_number_is_not_applied(
    finetune: Finetune, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "jobs.finetune.training.trainer._norm", lambda gradients: mx.array(float("inf"))
    )

    with pytest.raises(JobError, match="the gradient is inf at iteration 1"):
        finetune(adapter_path=tmp_path / "adapter")

    assert not (tmp_path / "adapter").exists()


def test_invalid_fields_are_job_errors() -> None:
    assert issubclass(InvalidField, JobError)
