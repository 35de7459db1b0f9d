"""Calibration text as rows of token ids: some to measure sensitivity on, others to judge by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from jobs.quantize.calibration_mix import read_conversations, read_text
from jobs.quantize.errors import QuantizeError

ROW_TOKENS = 128
HELD_OUT = 4  # each fourth row judges


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of `ROW_TOKENS` ids each, of all domains in turn; no row is in both parts."""

    calibration: list[list[int]]
    held_out: list[list[int]]


def make_rows(tokenizer: Any, domains: Sequence[str], count: int) -> Rows:
    """Tokenise the domains and take `count` rows for each part, or as many as there are.

    tokenizer: transformers' or mlx-lm's, with `encode`, and `apply_chat_template` if it has a
    chat template. Raises QuantizeError if the text is too short for a row of each.
    """
    parts = [_cut(_tokens(tokenizer, domain)) for domain in domains]
    calibration = _take(([*_without_held_out(rows)] for rows in parts), count)
    held_out = _take((rows[HELD_OUT - 1 :: HELD_OUT] for rows in parts), count)
    if not calibration or not held_out:
        raise QuantizeError("the calibration text is too short for this tokenizer: mix in more")
    return Rows(calibration, held_out)


def _tokens(tokenizer: Any, domain: str) -> list[int]:
    ids: list[int] = []
    if domain != "chat":
        # In paragraphs: some tokenizers take quadratic time, and others warn of long texts.
        for paragraph in read_text(domain).split("\n\n"):
            ids.extend(tokenizer.encode(f"{paragraph}\n\n", add_special_tokens=not ids))
        return ids
    for conversation in read_conversations():
        ids.extend(_conversation(tokenizer, conversation))
    return ids


def _conversation(tokenizer: Any, messages: list[dict[str, Any]]) -> list[int]:
    if getattr(tokenizer, "chat_template", None):
        try:
            return list(tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False))
        except Exception:  # noqa: BLE001 - templates raise what they like, as for a system role
            pass
    lines = (f"{message['role'].capitalize()}: {message['content']}" for message in messages)
    return list(tokenizer.encode("\n\n".join(lines)))


def _cut(ids: list[int]) -> list[list[int]]:
    return [
        ids[start : start + ROW_TOKENS] for start in range(0, len(ids) - ROW_TOKENS + 1, ROW_TOKENS)
    ]


def _without_held_out(rows: list[list[int]]) -> Iterator[list[int]]:
    return (row for place, row in enumerate(rows, start=1) if place % HELD_OUT)


def _take(parts: Iterator[list[list[int]]], count: int) -> list[list[int]]:
    """Rows of all parts in turn, so that a few rows know every domain."""
    turns = zip_longest(*parts)
    return [row for turn in turns for row in turn if row is not None][:count]
