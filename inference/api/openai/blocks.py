"""The parts that chat and text completions have in common on the way out."""

from collections.abc import Sequence
from typing import Any

from inference.events import Candidate, TokenLogprobs, Usage

DONE = "data: [DONE]\n\n"
# Zero probability, as OpenAI writes it: JSON has no infinity.
LOWEST_LOGPROB = -9999.0


def usage_block(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "lane": usage.lane.value,
    }


def logprobs_member(entries: Sequence[TokenLogprobs]) -> dict[str, Any]:
    """Build a choice's `logprobs` member, for a choice that has one.

    The shape is mlx_lm.server's, not OpenAI's: tokens go by their ids, and an entry with
    alternatives begins with the likeliest of them, which need not be the one that was drawn.
    """
    return {"logprobs": {"content": [_entry(entry) for entry in entries]}} if entries else {}


def _entry(entry: TokenLogprobs) -> dict[str, Any]:
    if not entry.top:
        return {"id": entry.chosen.token_id, "logprob": _finite(entry.chosen.logprob)}
    top = [_candidate(candidate) for candidate in entry.top]
    return {**top[0], "top_logprobs": top}


def _candidate(candidate: Candidate) -> dict[str, Any]:
    logprob = _finite(candidate.logprob)
    return {"id": candidate.token_id, "token": candidate.piece, "logprob": logprob}


def _finite(logprob: float) -> float:
    return max(LOWEST_LOGPROB, logprob)
