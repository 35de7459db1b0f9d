"""How far a quantized model is from another, on text that no decision has seen."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from jobs.quantize.errors import QuantizeError
from jobs.quantize.progress import Tell, within
from jobs.quantize.streaming import StreamedModel, value_of

PASS_BYTES = 128 * 2**20
"""Logits of one pass, float32."""
Open = Callable[[], StreamedModel]


@dataclass(frozen=True, slots=True)
class Measure:
    """kl: divergence from the reference, in nats a token. perplexity: of the text itself.

    agreement: share of places where both think the same token likeliest.
    """

    kl: float
    perplexity: float
    agreement: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """tokens: how many were judged. reference_perplexity: of what others are measured against."""

    tokens: int
    reference_perplexity: float
    measures: dict[str, Measure]


def compare(
    reference: Open,
    candidates: Mapping[str, Open],
    rows: Sequence[Sequence[int]],
    scratch: Path,
    tell: Tell,
) -> Comparison:
    """Measure candidates against a reference; one model after the other is in memory.

    rows: token ids, all rows of one length. scratch: a folder that takes the reference's
    log-probabilities, `scratch_bytes` of them. tell: called with the share that is done.
    Raises QuantizeError if the models have different vocabularies.

    KL(reference || candidate) is exact, over the whole vocabulary, the mean of all places.
    """
    models = 1 + len(candidates)
    passes: list[tuple[mx.array, str]] = []
    loss = 0.0
    for number, (tokens, logprobs) in enumerate(_each_pass(reference(), rows)):
        path = str(scratch / f"{number}.npy")
        mx.save(path, logprobs)
        passes.append((tokens, path))
        loss += _loss(logprobs, tokens)
        tell(_rows_of(passes) / len(rows) / models)
    measures: dict[str, Measure] = {}
    for name, open_candidate in candidates.items():
        done = (1 + len(measures)) / models
        measures[name] = _measure(open_candidate(), passes, within(tell, done, 1 / models))
    return Comparison(_places(passes), _perplexity(loss, _predicted(passes)), measures)


def scratch_bytes(rows: Sequence[Sequence[int]], vocabulary: int) -> int:
    """What `compare` writes into its scratch folder."""
    return 4 * vocabulary * sum(map(len, rows))


def _measure(candidate: StreamedModel, passes: list[tuple[mx.array, str]], tell: Tell) -> Measure:
    kl = loss = same = 0.0
    for number, (tokens, path) in enumerate(passes, start=1):
        expected: Any = mx.load(path)
        found = _logprobs(candidate(tokens))
        if found.shape != expected.shape:
            raise QuantizeError(
                f"the reference knows {expected.shape[-1]:,} tokens and the model "
                f"{found.shape[-1]:,}: choose a reference with the same tokenizer"
            )
        kl += value_of((mx.exp(expected) * (expected - found)).sum())
        same += value_of((found.argmax(-1) == expected.argmax(-1)).sum())
        loss += _loss(found, tokens)
        tell(number / len(passes))
    places = _places(passes)
    return Measure(kl / places, _perplexity(loss, _predicted(passes)), same / places)


def _each_pass(
    model: StreamedModel, rows: Sequence[Sequence[int]]
) -> Iterator[tuple[mx.array, mx.array]]:
    """Yield token ids (B, L) and log-probabilities (B, L, V), as many rows as memory allows."""
    start, together = 0, 1  # the first tells how many logits there are
    while start < len(rows):
        tokens = mx.array([list(row) for row in rows[start : start + together]])
        logprobs = _logprobs(model(tokens))
        yield tokens, logprobs
        start += together
        together = max(1, PASS_BYTES // (logprobs.nbytes // tokens.shape[0]))


def _rows_of(passes: list[tuple[mx.array, str]]) -> int:
    return sum(tokens.shape[0] for tokens, _ in passes)


def _places(passes: list[tuple[mx.array, str]]) -> int:
    return sum(tokens.size for tokens, _ in passes)


def _predicted(passes: list[tuple[mx.array, str]]) -> int:
    """Tokens that have another before them in their row."""
    return sum(tokens.size - tokens.shape[0] for tokens, _ in passes)


def _logprobs(logits: mx.array) -> mx.array:
    found = logits - mx.logsumexp(logits, axis=-1, keepdims=True)
    mx.eval(found)
    return found


def _loss(logprobs: mx.array, tokens: mx.array) -> float:
    """Sum of the negative log-probabilities of each token but the first of a row."""
    picked = mx.take_along_axis(logprobs[:, :-1], tokens[:, 1:, None], axis=-1)
    return -value_of(picked.sum())


def _perplexity(loss: float, tokens: int) -> float:
    mean = loss / tokens
    return math.exp(mean) if mean < 700 else math.inf  # of a model that was quantized to ruins
