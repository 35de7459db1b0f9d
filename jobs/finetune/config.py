"""What a fine-tuning run is asked to do: every field with its default, limits and meaning.

The table is the dataclass itself. The route, the command's options and the API's document are
made of it, and `read_config` is the one way to a valid `FinetuneConfig`.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from jobs.errors import JobError
from jobs.finetune.fields import Flag, Kind, Names, Real, Text, Whole, Word

MAX_ITERS = 10**7
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class Method(StrEnum):
    """What is learned from: answers, or pairs of a better and a worse one."""

    SFT = "sft"
    DPO = "dpo"
    ORPO = "orpo"

    @property
    def compares(self) -> bool:
        """Whether it takes pairs."""
        return self is not Method.SFT


class RankScaling(StrEnum):
    """Whether layers kept in more bits get a larger rank; see `training/ranks.py`."""

    BY_BITS = "by_bits"
    CONSTANT = "constant"


class Schedule(StrEnum):
    CONSTANT = "constant"
    COSINE = "cosine"


class Scope(StrEnum):
    """Which tokens count: all of a row, or those of its answer."""

    FULL = "full"
    RESPONSE = "response"


LEARNING_RATES = {Method.SFT: 2e-4, Method.DPO: 5e-5, Method.ORPO: 1e-5}


class InvalidField(JobError):
    """A value that a field does not take."""

    def __init__(self, name: str, value: object, allowed: str, remedy: str) -> None:
        super().__init__(f"{name} is {value!r}; allowed: {allowed}. {remedy}")


def option(default: Any, kind: Kind, about: str) -> Any:
    """Declare a field that may be left out."""
    return field(default=default, metadata={"kind": kind, "about": about})


def needed(about: str) -> Any:
    """Declare a field of text that must be given."""
    return field(metadata={"kind": Text(), "about": about})


@dataclass(frozen=True, slots=True, kw_only=True)
class FinetuneConfig:
    """A valid request. Iterations are micro-batches, `grad_accumulation_steps` to an update."""

    model_dir: str = needed("The model: a folder, or a name that the library knows")
    data_dir: str = needed("Folder of train.jsonl and, if there is one, valid.jsonl")
    adapter_path: str = needed("Folder that the adapter is written to")
    method: Method = option(  # noqa: RUF009 - its value never changes; so below
        Method.SFT, Word(Method), "What is learned from"
    )
    rank: int = option(8, Whole(1, 1024), "Rank of the adapter's factors")
    scale: float = option(1.0, Real(0, 1000, above=True), "Factor of the adapter: alpha / rank")
    rank_scaling: RankScaling = option(  # noqa: RUF009
        RankScaling.BY_BITS,
        Word(RankScaling),
        "Whether layers that are quantized to more bits than most get a larger rank",
    )
    target_modules: tuple[str, ...] = option(TARGETS, Names(), "Linear layers that are adapted")
    num_layers: int = option(
        -1, Whole(-1, 10_000, "-1 or 0: all"), "How many blocks are adapted, counted from the last"
    )
    iters: int = option(100, Whole(1, MAX_ITERS), "Iterations, one batch each")
    learning_rate: float | None = option(
        None, Real(0, 1, above=True), "Highest learning rate; 2e-4 for sft, 5e-5 dpo, 1e-5 orpo"
    )
    max_seq_length: int = option(512, Whole(2, 2**20), "Longest row in tokens")
    batch_size: int = option(1, Whole(1, 4096), "Rows of an iteration")
    grad_accumulation_steps: int = option(
        1, Whole(1, 4096), "Iterations whose gradients make one update"
    )
    seed: int = option(0, Whole(0, 2**32 - 1), "Fixes the first weights, the order and dropout")
    steps_per_report: int = option(10, Whole(1, MAX_ITERS), "Iterations between two reports")
    steps_per_eval: int = option(
        50, Whole(0, MAX_ITERS, "0: never"), "Iterations between two validations"
    )
    weight_decay: float = option(0.01, Real(0, 10), "Decoupled weight decay of AdamW")
    lora_dropout: float = option(0.0, Real(0, 0.99), "Share of the adapter's input left out")
    rs_lora: bool = option(False, Flag(), "Divide alpha by the root of the rank, not by the rank")
    lora_plus_ratio: float = option(
        1.0, Real(0, 1000, above=True), "Learning rate of the factors B over that of A"
    )
    grad_checkpoint: bool = option(False, Flag(), "Recompute blocks backwards, to save memory")
    mlp_split: bool = option(False, Flag(), "Compute MLPs a stretch of tokens at a time")
    segment_size: int = option(
        0, Whole(0, 10_000, "0: off"), "Blocks that are recomputed together, to save memory"
    )
    save_checkpoints: bool = option(True, Flag(), "Write checkpoints, to go on from after a stop")
    grad_clip_norm: float = option(1.0, Real(0, 10_000), "Longest gradient; 0 leaves it as it is")
    val_max_examples: int = option(
        256, Whole(0, MAX_ITERS, "0: all"), "Rows of valid.jsonl that are used"
    )
    dpo_beta: float = option(0.1, Real(0, 100, above=True), "DPO's strength of the reference")
    dpo_warmup_iters: int = option(0, Whole(0, MAX_ITERS), "Iterations of a rising learning rate")
    dpo_lr_schedule: Schedule = option(  # noqa: RUF009
        Schedule.COSINE, Word(Schedule), "What follows the rise"
    )
    orpo_lambda: float = option(0.1, Real(0, 100), "Weight of ORPO's odds ratio")
    orpo_warmup_iters: int = option(0, Whole(0, MAX_ITERS), "Iterations of a rising learning rate")
    orpo_lr_schedule: Schedule = option(  # noqa: RUF009
        Schedule.COSINE, Word(Schedule), "What follows the rise"
    )
    orpo_chunk_size: int = option(
        0, Whole(0, 2**20, "0: 256"), "Tokens whose logits are in memory at once, if fused"
    )
    orpo_fused_ce: bool = option(True, Flag(), "Compute logits and loss in chunks of tokens")
    orpo_flash_ce: bool = option(True, Flag(), "Compute logits and loss in chunks of words")
    orpo_prefix_shared: bool = option(True, Flag(), "Compute a prompt once for both answers")
    sft_scope: Scope | None = option(  # noqa: RUF009
        None,
        Word(Scope),
        "Tokens that count; full, but for `messages` rows their final turn; with orpo, tokens "
        "made likelier: of the chosen answer, and of the prompt only with an explicit full",
    )
    warm_start_adapter: str | None = option(None, Text(), "Folder of an adapter to begin with")

    @property
    def peak_learning_rate(self) -> float:
        return self.learning_rate or LEARNING_RATES[self.method]

    @property
    def warmup_iters(self) -> int:
        by_method = {Method.DPO: self.dpo_warmup_iters, Method.ORPO: self.orpo_warmup_iters}
        return by_method.get(self.method, 0)

    @property
    def schedule(self) -> Schedule:
        by_method = {Method.DPO: self.dpo_lr_schedule, Method.ORPO: self.orpo_lr_schedule}
        return by_method.get(self.method, Schedule.CONSTANT)

    @property
    def updates(self) -> int:
        """Updates of the weights; a rest of iterations that makes no whole one is left out."""
        return self.iters // self.grad_accumulation_steps

    @property
    def recomputes(self) -> bool:
        """Whether parts of the model are computed twice, to save memory."""
        return self.grad_checkpoint or self.mlp_split or self.segment_size > 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_config(body: Mapping[str, Any]) -> FinetuneConfig:
    """Check a submitted object field by field; null is as good as leaving a field out.

    Raises InvalidField. Names that mean nothing are passed over; see `unknown_names`.
    """
    values = {
        each.name: _read(each, body[each.name])
        for each in fields(FinetuneConfig)
        if body.get(each.name) is not None
    }
    for name in ("model_dir", "data_dir", "adapter_path"):
        if name not in values:
            raise JobError(f"{name} is missing: name a folder")
    config = FinetuneConfig(**values)
    _check_together(config)
    return config


def unknown_names(body: Mapping[str, Any]) -> list[str]:
    return sorted(set(body) - {each.name for each in fields(FinetuneConfig)})


def _read(each: "Field[Any]", value: object) -> Any:
    kind: Kind = each.metadata["kind"]
    try:
        return kind.read(value)
    except ValueError:
        raise InvalidField(each.name, value, kind.allowed, _remedy(each)) from None


def _remedy(each: "Field[Any]") -> str:
    if each.default is MISSING:
        return "Name a folder."
    if each.default is None:
        return "Leave it out for the default."
    if isinstance(each.default, tuple):
        return f"Leave it out for {', '.join(each.default)}."
    return f"Leave it out for {str(each.default).lower()}."


def _check_together(config: FinetuneConfig) -> None:
    if config.grad_accumulation_steps > config.iters:
        raise InvalidField(
            "grad_accumulation_steps",
            config.grad_accumulation_steps,
            f"at most iters, {config.iters:,}",
            "Raise iters: with fewer, the weights would never be updated.",
        )
    if config.warmup_iters >= config.iters:
        raise InvalidField(
            f"{config.method}_warmup_iters",
            config.warmup_iters,
            f"less than iters, {config.iters:,}",
            "Raise iters, or warm up for fewer.",
        )
