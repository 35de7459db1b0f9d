"""A folder of rows as examples to train on. What cannot be used is counted, never silent.

Rules for rows that are longer than `max_seq_length`: an example is cut at its end as long as a
token of its answer is left, else dropped; a pair is dropped, since an answer that was cut would
be compared with a whole one. Rows with an empty answer are dropped.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from jobs.errors import JobError
from jobs.finetune.config import FinetuneConfig, InvalidField, Method, Scope
from jobs.finetune.data.encoder import Encoder, Example, Pair
from jobs.finetune.data.formats import KEYS, Format
from jobs.finetune.data.messages import conversation_of, is_empty
from jobs.finetune.data.rows import TRAIN, VALID, BadRow, Row, read_rows
from jobs.folders import folder_of

Item = TypeVar("Item", Example, Pair)
Make = Callable[[Iterator[Row], Counter[str]], Iterator[Item]]

CUT, TOO_LONG, EMPTY = "cut to max_seq_length", "dropped, too long", "dropped, empty answer"


@dataclass(frozen=True, slots=True)
class Split(Generic[Item]):
    """The usable rows of one file. changed: how many rows were cut or dropped, by what was done."""

    items: tuple[Item, ...]
    changed: Counter[str]

    def summary(self, name: str) -> str:
        parts = [f"{name}: {len(self.items):,} rows"]
        parts += [f"{count:,} {what}" for what, count in sorted(self.changed.items())]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Dataset(Generic[Item]):
    """train: never empty. valid: empty if there is no such file."""

    train: Split[Item]
    valid: Split[Item]


def load_examples(config: FinetuneConfig, encoder: Encoder) -> Dataset[Example]:
    """Read the folder for `sft`. Raises JobError with the file and the line of a fault."""
    return _load(config, lambda rows, changed: _examples(rows, changed, config, encoder))


def load_pairs(config: FinetuneConfig, encoder: Encoder) -> Dataset[Pair]:
    """Read the folder for `dpo` or `orpo`. Raises JobError with the file and the line."""
    return _load(config, lambda rows, changed: _pairs(rows, changed, config, encoder))


def _load(config: FinetuneConfig, make: Make[Item]) -> Dataset[Item]:
    folder = folder_of(config.data_dir)
    train = _split(folder / TRAIN, config, make)
    if not train.items:
        if not train.changed:
            raise JobError(f"{folder / TRAIN} has no rows; add some")
        raise JobError(
            f"{train.summary(TRAIN)}: nothing is left to train on; raise max_seq_length, "
            f"{config.max_seq_length:,} now, or add rows"
        )
    if not (folder / VALID).exists():
        return Dataset(train, Split((), Counter()))
    return Dataset(train, _split(folder / VALID, config, make, config.val_max_examples))


def _split(path: Path, config: FinetuneConfig, make: Make[Item], limit: int = 0) -> Split[Item]:
    changed: Counter[str] = Counter()
    items: list[Item] = []
    for item in make(_alike(read_rows(path), config.method), changed):
        items.append(item)
        if len(items) == limit:
            break
    return Split(tuple(items), changed)


def _alike(rows: Iterable[Row], method: Method) -> Iterator[Row]:
    """Pass on rows of one format that fits the method; raises JobError for any other."""
    first: Format | None = None
    for row in rows:
        if row.format is Format.UNKNOWN:
            names = "; ".join(" and ".join(keys) for keys in KEYS.values())
            raise BadRow(row.place, f"none of the known keys ({names})")
        if (row.format is Format.DPO) is not method.compares:
            wanted = "pairs (chosen and rejected)" if method.compares else "rows without pairs"
            raise JobError(
                f"{row.place}: a {row.format} row, and method {method} takes {wanted}; "
                "choose another method or other data"
            )
        first = first or row.format
        if row.format is not first:
            raise BadRow(row.place, f"a {row.format} row among {first} rows; use one format")
        yield row


def _examples(
    rows: Iterable[Row], changed: Counter[str], config: FinetuneConfig, encoder: Encoder
) -> Iterator[Example]:
    for row in rows:
        if row.format is Format.TEXT:
            example = _text(row, config.sft_scope, encoder)
        else:
            conversation = conversation_of(row)
            if is_empty(conversation.answers[0]):
                changed[EMPTY] += 1
                continue
            prompt, (answer,) = encoder.conversation(conversation, row.place)
            start = len(prompt) if _answer_only(row.format, config.sft_scope) else 0
            example = Example((*prompt, *answer), start)
        # The first token is predicted from nothing.
        usable = min(len(example.tokens), config.max_seq_length)
        if usable <= max(example.start, 1):
            changed[TOO_LONG if len(example.tokens) > usable else EMPTY] += 1
            continue
        if usable < len(example.tokens):
            changed[CUT] += 1
            example = Example(example.tokens[:usable], example.start)
        yield example


def _answer_only(format: Format, scope: Scope | None) -> bool:
    return scope is Scope.RESPONSE or (scope is None and format is Format.MESSAGES)


def _text(row: Row, scope: Scope | None, encoder: Encoder) -> Example:
    if scope is Scope.RESPONSE:
        remedy = f"The rows are text, without an answer ({row.place})."
        raise InvalidField("sft_scope", str(scope), "full, for rows of this format", remedy)
    if not isinstance(row.value["text"], str):
        raise BadRow(row.place, "text is not a string")
    return Example(tuple(encoder.text(row.value["text"])), 0)


def _pairs(
    rows: Iterable[Row], changed: Counter[str], config: FinetuneConfig, encoder: Encoder
) -> Iterator[Pair]:
    for row in rows:
        conversation = conversation_of(row)
        if any(is_empty(answer) for answer in conversation.answers):
            changed[EMPTY] += 1
            continue
        prompt, (chosen, rejected) = encoder.conversation(conversation, row.place)
        if not prompt:
            raise BadRow(row.place, "the prompt is empty, and a pair needs one")
        pair = Pair(tuple(prompt), tuple(chosen), tuple(rejected))
        if pair.longest > config.max_seq_length:
            changed[TOO_LONG] += 1
            continue
        yield pair
