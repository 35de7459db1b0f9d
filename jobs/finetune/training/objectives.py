"""Chooses what is learned, and how it is computed, by the configuration."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jobs.finetune.config import FinetuneConfig, Method, Scope
from jobs.finetune.data.dataset import Dataset, load_examples, load_pairs
from jobs.finetune.data.encoder import Encoder, Pair
from jobs.finetune.data.rows import TRAIN, VALID
from jobs.finetune.training.dpo import Dpo
from jobs.finetune.training.objective import Objective
from jobs.finetune.training.orpo import Orpo
from jobs.finetune.training.pair_scores import Scheme, Shared, Stacked
from jobs.finetune.training.scoring import CHUNK_TOKENS, Scorer, chunked, plain
from jobs.finetune.training.sft import Sft
from jobs.finetune.training.shared_prefix import can_share


@dataclass(frozen=True, slots=True)
class Task:
    """train: the rows to learn from. valid: those to check on, if there are any.

    notes: lines for the log, on the data and on what the model does not allow.
    """

    train: Objective
    valid: Objective | None
    notes: tuple[str, ...]

    @property
    def references(self) -> list[Dpo]:
        """What needs a reference before training begins."""
        return [each for each in (self.train, self.valid) if isinstance(each, Dpo)]


def build_task(config: FinetuneConfig, model: Any, encoder: Encoder) -> Task:
    """Read the data and lay it out for the method. Raises JobError for data that do not fit."""
    if config.method is Method.SFT:
        return _learn_answers(config, encoder)
    pairs = load_pairs(config, encoder)
    notes = _describe(pairs)
    scheme = _choose_scheme(config, model, notes) if config.method is Method.ORPO else None

    def make(items: Sequence[Pair]) -> Objective:
        if scheme is None:
            return Dpo(items, config.dpo_beta)
        whole = config.sft_scope is Scope.FULL
        return Orpo(items, scheme, weight=config.orpo_lambda, whole=whole)

    train, valid = pairs.train.items, pairs.valid.items
    return Task(make(train), make(valid) if valid else None, tuple(notes))


def _learn_answers(config: FinetuneConfig, encoder: Encoder) -> Task:
    data = load_examples(config, encoder)
    valid = Sft(data.valid.items) if data.valid.items else None
    return Task(Sft(data.train.items), valid, tuple(_describe(data)))


def _describe(data: Dataset[Any]) -> list[str]:
    if not data.valid.items and not data.valid.changed:
        return [data.train.summary(TRAIN), f"no rows in {VALID}: no validation"]
    return [data.train.summary(TRAIN), data.valid.summary(VALID)]


def _choose_scheme(config: FinetuneConfig, model: Any, notes: list[str]) -> Scheme:
    scorer = _choose_scorer(config, model, notes)
    if not config.orpo_prefix_shared:
        return Stacked(scorer)
    # What is computed a second time must not write to caches.
    if config.recomputes or not can_share(model):
        why = "blocks are recomputed" if config.recomputes else "this model's caches forbid it"
        notes.append(f"orpo_prefix_shared has no effect: {why}")
        return Stacked(scorer)
    return Shared(scorer, len(model.layers))


def _choose_scorer(config: FinetuneConfig, model: Any, notes: list[str]) -> Scorer:
    if not config.orpo_fused_ce and not config.orpo_flash_ce:
        return plain(model)
    tokens = (config.orpo_chunk_size or CHUNK_TOKENS) if config.orpo_fused_ce else 0
    scorer = chunked(model, tokens=tokens, by_words=config.orpo_flash_ce)
    if scorer is None:
        notes.append("orpo_fused_ce and orpo_flash_ce have no effect: this model's head is special")
    return scorer or plain(model)
