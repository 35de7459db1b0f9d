"""Usage and log-probabilities, as both routes write them."""

import json
import math

from inference.api.openai.blocks import LOWEST_LOGPROB, logprobs_member, usage_block
from inference.events import Candidate, Lane, TokenLogprobs, Usage

A, B, C = Candidate(1, "▁a", -0.5), Candidate(2, "b", -1.0), Candidate(3, "c", -3.0)


def test_usage_adds_up():
    usage = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=3, lane=Lane.BATCHED)

    assert usage_block(usage) == {
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 3},
        "lane": "batched",
    }


def test_nothing_was_asked_and_nothing_is_said():
    assert logprobs_member(()) == {}


def test_without_alternatives_an_entry_is_an_id_and_its_logprob():
    """Public case pa-06, the shape of its first variant."""
    assert logprobs_member([TokenLogprobs(A), TokenLogprobs(C)]) == {
        "logprobs": {"content": [{"id": 1, "logprob": -0.5}, {"id": 3, "logprob": -3.0}]}
    }


def test_with_alternatives_an_entry_repeats_the_first_of_them():
    """Public case pa-06, the shape of its second variant; the drawn token is another."""
    assert logprobs_member([TokenLogprobs(C, (A, B))]) == {
        "logprobs": {
            "content": [
                {
                    "id": 1,
                    "token": "▁a",
                    "logprob": -0.5,
                    "top_logprobs": [
                        {"id": 1, "token": "▁a", "logprob": -0.5},
                        {"id": 2, "token": "b", "logprob": -1.0},
                    ],
                }
            ]
        }
    }


def test_an_impossible_token_is_still_json():
    entries = [
        TokenLogprobs(Candidate(1, "a", -math.inf)),
        TokenLogprobs(A, (A, Candidate(4, "d", -math.inf), Candidate(5, "e", math.nan))),
    ]

    text = json.dumps(logprobs_member(entries), allow_nan=False)

    assert text.count(str(LOWEST_LOGPROB)) == 3
